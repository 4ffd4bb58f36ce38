// Which key answers with which class: each class has its own, a digit or Shift and a digit.

export const digitOf = (event) => /^(?:Digit|Numpad)([0-9])$/.exec(event.code)?.[1];

export const classOf = (event, classes) =>
  classes.find((entry) => entry.key === (event.shiftKey ? "⇧" : "") + digitOf(event));
