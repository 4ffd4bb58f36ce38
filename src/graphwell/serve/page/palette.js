// Colours as numbers; which colour a class has, the server says.

// "#0072b2" -> [0, 114, 178]
export const rgb = (color) => [1, 3, 5].map((at) => parseInt(color.slice(at, at + 2), 16));
