// Colours of classes that the colour-blind can tell apart (after Okabe and Ito), then further ones.

export const PALETTE = [
  "#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#b8a800", "#7a5195",
  "#b03060", "#88ccaa", "#8c6d46", "#6699cc", "#997700", "#225533", "#ddaaff", "#774411",
];
export const UNKNOWN = "#9aa0a6";

export const colorOf = (index) => PALETTE[index % PALETTE.length];

export const rgb = (color) => [1, 3, 5].map((at) => parseInt(color.slice(at, at + 2), 16));
