// Which key answers with which class: a digit, or Shift and a digit, by place. Classes named 0 to 9 have their own.

const DIGITS = "1234567890";

export function keysOf(classes) {
  const names = classes.map((entry) => entry.name);
  if (names.every((name) => /^[0-9]$/.test(name))) return names;
  return names.map((_, place) => (place < 10 ? DIGITS[place] : place < 20 ? `⇧${DIGITS[place - 10]}` : null));
}

export const digitOf = (event) => /^(?:Digit|Numpad)([0-9])$/.exec(event.code)?.[1];

export const classOf = (event, classes) =>
  classes[keysOf(classes).indexOf((event.shiftKey ? "⇧" : "") + digitOf(event))];
