"""Pages that are one file: text is escaped, pictures are embedded, nothing is fetched."""

import json
from base64 import b64encode
from collections.abc import Iterable, Sequence
from html import escape

STYLE = """
:root { --ink: #1d2129; --soft: #626b78; --line: #e1e5ea; --accent: #1f6f8b; }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 62rem; padding: 2.5rem 1.5rem 4rem; color: var(--ink); background: #fff;
       font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif; }
h1 { font-size: 1.9rem; line-height: 1.2; margin: 0 0 .3rem; letter-spacing: -.01em; }
h3 { font-size: 1rem; margin: 1.6rem 0 .4rem; }
h2 { font-size: 1.2rem; margin: 2.6rem 0 .8rem; padding-bottom: .3rem; border-bottom: 1px solid var(--line); }
p { margin: .6rem 0; }
.lead { margin: .3rem 0; }
.lead:first-of-type { font-size: 1.15rem; font-weight: 600; }
.soft { color: var(--soft); font-size: .88rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: .92rem; font-variant-numeric: tabular-nums; }
th, td { padding: .32rem .9rem .32rem 0; text-align: left; border-bottom: 1px solid var(--line);
         white-space: nowrap; }
td:first-child { white-space: normal; }
th { color: var(--soft); font-weight: 500; }
.number { text-align: right; }
figure { margin: 1rem 0; }
figure img { max-width: 100%; height: auto; }
figcaption { color: var(--soft); font-size: .88rem; }
.note { border-left: 3px solid #d9902f; background: #fdf6ec; padding: .5rem .9rem; margin: .6rem 0; }
.hover { position: relative; display: inline-block; }
.hover output img { display: block; margin: .2rem 0; }
.hover output { position: absolute; display: none; padding: .1rem .5rem; background: var(--ink); color: #fff;
                font-size: .85rem; border-radius: 3px; pointer-events: none; white-space: nowrap; }
summary { cursor: pointer; font-size: 1.2rem; font-weight: bold; margin: 2.6rem 0 .8rem; }
footer { margin-top: 3rem; color: var(--soft); font-size: .85rem; }
"""
HOVER = """points => {
  const box = document.currentScript.previousElementSibling, shown = box.querySelector("output");
  let last = null;
  box.onmouseleave = () => { shown.style.display = "none"; };
  box.onmousemove = event => {
    const frame = box.getBoundingClientRect();
    const x = event.clientX - frame.left, y = event.clientY - frame.top;
    let best = null, nearest = 12 ** 2;
    for (const point of points) {
      const distance = (point[0] * frame.width - x) ** 2 + (point[1] * frame.height - y) ** 2;
      if (distance < nearest) [nearest, best] = [distance, point];
    }
    shown.style.display = best === null ? "none" : "block";
    if (best !== null && best !== last) {
      shown.textContent = best[2];
      if (best.length > 3) shown.appendChild(new Image()).src = best[3];
    }
    last = best;
    shown.style.left = `${x + 12}px`;
    shown.style.top = `${y + 12}px`;
  };
}"""


def page(title: str, parts: Iterable[str]) -> str:
    """Put parts made by the functions below into one page."""
    body = "\n".join(parts)
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{STYLE}</style>\n</head>\n"
        f"<body>\n<h1>{escape(title)}</h1>\n{body}\n</body>\n</html>\n"
    )


def heading(text: str) -> str:
    """The title of a section."""
    return f"<h2>{escape(text)}</h2>"


def subheading(text: str) -> str:
    """The title of a part of a section."""
    return f"<h3>{escape(text)}</h3>"


def paragraph(text: str, kind: str = "") -> str:
    """Some text; the kinds "lead", "note" and "soft" look their part."""
    text = escape(text).replace(" %", "\u00a0%")  # no line begins with the sign
    return f'<p class="{kind}">{text}</p>' if kind else f"<p>{text}</p>"


def table(titles: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Rows below a header; columns whose title begins with > are numbers."""
    kinds = [' class="number"' if title.startswith(">") else "" for title in titles]
    names = [title.removeprefix(">") for title in titles]
    lines = [_line("th", names, kinds), *(_line("td", row, kinds) for row in rows)]
    return "\n".join(['<div class="scroll"><table>', *lines, "</table></div>"])


def embedded(picture: bytes, kind: str = "png") -> str:
    """The address of a picture that lies inside the page."""
    return f"data:image/{kind};base64,{b64encode(picture).decode('ascii')}"


def figure(png: bytes, description: str, caption: str = "", points: Iterable[Sequence[object]] = ()) -> str:
    """A picture inside the page.

    `points` have shares of its width and height, a text that is shown under the mouse, and perhaps the
    address of a picture that is shown with it.
    """
    below = f"<figcaption>{escape(caption)}</figcaption>" if caption else ""
    image = f'<img src="{embedded(png)}" alt="{escape(description)}">'
    if points:
        data = json.dumps(points, ensure_ascii=False).replace("<", "\\u003c")
        image = f'<div class="hover">{image}<output></output></div><script>({HOVER})({data})</script>'
    return f"<figure>{image}{below}</figure>"


def folded(title: str, parts: Sequence[str]) -> str:
    """Parts that are shown where somebody clicks on their title."""
    inner = "\n".join(parts)
    return f"<details>\n<summary>{escape(title)}</summary>\n{inner}\n</details>" if parts else ""


def footer(text: str) -> str:
    """The last line of a page."""
    return f"<footer>{escape(text)}</footer>"


def _line(tag: str, cells: Sequence[object], kinds: Sequence[str]) -> str:
    inner = "".join(f"<{tag}{c}>{escape(str(cell))}</{tag}>" for c, cell in zip(kinds, cells, strict=True))
    return f"<tr>{inner}</tr>"
