// How the map is drawn: the points in WebGL2 on a layer that reaches beyond the view, and what lies over them.

const NONE = 255;
const GREY = [154, 160, 166];
const MORE = 2; // a given row is so much larger
const FADED = 0.15; // opacity of rows that are not selected

const POINT_VERTICES = `#version 300 es
in vec2 a_place;
in uint a_class;
uniform vec2 u_middle, u_zoom;
uniform float u_size;
uniform float u_lift;
uniform sampler2D u_palette;
out vec3 v_color;
void main() {
  gl_Position = vec4((a_place - u_middle) * u_zoom, 0.0, 1.0);
  gl_PointSize = u_size;
  v_color = mix(texelFetch(u_palette, ivec2(int(a_class), 0), 0).rgb, vec3(1.0), u_lift);
}`;

const POINT_PIXELS = `#version 300 es
precision highp float;
in vec3 v_color;
uniform float u_size, u_opacity;
uniform bool u_ringed;
uniform vec3 u_ink, u_paper;
out vec4 color;
void main() {
  float edge = 0.5 * u_size - length(gl_PointCoord - 0.5) * u_size;
  if (edge < 0.0) discard;
  float opacity = min(1.0, edge + 0.35) * u_opacity;
  float ring = 0.16 * u_size;
  vec3 shown = !u_ringed || edge > 1.6 * ring ? v_color : edge < ring ? u_ink : u_paper;
  color = vec4(shown * opacity, opacity);
}`;

export class Painter {
  constructor(layer, redraw) {
    const canvas = layer.canvas;
    this.layer = layer;
    this.gl = canvas.getContext("webgl2", { antialias: false });
    if (!this.gl) throw new Error("The map needs WebGL2, which this browser does not offer.");
    this.places = new Float32Array(0);
    this.classes = new Uint8Array(0);
    this.palette = [];
    this.given = { rows: new Uint32Array(0), classes: new Uint8Array(0) };
    this.lit = new Uint32Array(0); // rows that stay lit while all others fade
    canvas.addEventListener("webglcontextlost", (event) => event.preventDefault()); // it may come back
    canvas.addEventListener("webglcontextrestored", () => {
      this.prepare();
      redraw();
    });
    this.prepare();
  }

  get n() {
    return this.places.length / 2;
  }

  // Everything that lies in the memory of the graphics card; made again when that was lost.
  prepare() {
    const gl = this.gl;
    if (gl.isContextLost()) return;
    this.points = makeProgram(gl, POINT_VERTICES, POINT_PIXELS, ["a_place", "a_class"]);
    this.all = makeLayer(gl);
    this.ringed = makeLayer(gl);
    this.bright = makeLayer(gl);
    this.colors = gl.createTexture();
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    this.setPlaces(this.places);
    this.setClasses(this.classes, this.palette);
  }

  setPlaces(places) {
    this.places = places;
    fillBuffer(this.gl, this.all.places, places);
    if (this.classes.length !== this.n) this.setClasses(new Uint8Array(this.n).fill(NONE), this.palette);
    this.setGiven(this.given.rows, this.given.classes);
    this.setLit(this.lit);
  }

  setClasses(classes, palette) {
    const gl = this.gl;
    this.classes = classes;
    this.palette = palette;
    fillBuffer(gl, this.all.classes, classes);
    const texels = new Uint8Array(256 * 4).fill(255);
    for (let c = 0; c < 256; c++) texels.set(c === NONE ? GREY : palette[c] ?? GREY, 4 * c);
    gl.bindTexture(gl.TEXTURE_2D, this.colors);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, 256, 1, 0, gl.RGBA, gl.UNSIGNED_BYTE, texels);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.NEAREST);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.NEAREST);
  }

  updateClasses(rows, classes) {
    for (let i = 0; i < rows.length; i++) this.classes[rows[i]] = classes[i];
    if (rows.length) fillBuffer(this.gl, this.all.classes, this.classes);
    if (this.lit.length) this.setLit(this.lit);
  }

  setGiven(rows, classes) {
    this.given = { rows, classes };
    this.fillSome(this.ringed, rows, classes);
  }

  setLit(rows) {
    this.lit = rows;
    this.fillSome(this.bright, rows, Uint8Array.from(rows, (row) => this.classes[row]));
  }

  fillSome(layer, rows, classes) {
    const gl = this.gl;
    fillBuffer(gl, layer.places, Float32Array.from({ length: 2 * rows.length }, (_, i) => this.places[2 * rows[i >> 1] + (i & 1)]));
    fillBuffer(gl, layer.classes, classes);
  }

  // Draw everything. view: {x, y, scale}; fitted: the scale that shows all.
  paint(view, fitted) {
    const gl = this.gl;
    if (gl.isContextLost()) return;
    const sharp = this.layer.resize();
    const [width, height] = [gl.drawingBufferWidth, gl.drawingBufferHeight];
    gl.viewport(0, 0, width, height);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT);
    const size = sharp * this.pointSize(view.scale / fitted);
    const zoom = [(2 * sharp * view.scale) / width, (2 * sharp * view.scale) / height];
    this.usePoints(view, zoom);
    this.drawLayer(this.all, this.n, size, this.lit.length ? FADED : this.opacity(size, width * height, view.scale / fitted), false);
    this.drawLayer(this.bright, this.lit.length, 1.3 * size, 1, false);
    this.drawLayer(this.ringed, this.given.rows.length, Math.max(9 * sharp, MORE * size), 1, true);
    gl.bindVertexArray(null);
    this.layer.keep(view);
  }

  usePoints(view, zoom) {
    const gl = this.gl;
    const at = this.points.at;
    const dark = matchMedia("(prefers-color-scheme: dark)").matches;
    const [light, deep] = [[0.96, 0.96, 0.94], [0.08, 0.09, 0.1]];
    gl.useProgram(this.points.made);
    gl.bindTexture(gl.TEXTURE_2D, this.colors);
    gl.uniform2f(at("u_middle"), view.x, view.y);
    gl.uniform2f(at("u_zoom"), ...zoom);
    gl.uniform1f(at("u_lift"), dark ? 0.25 : 0); // dark colours must be seen on a dark page
    gl.uniform3f(at("u_ink"), ...(dark ? light : deep));
    gl.uniform3f(at("u_paper"), ...(dark ? deep : light));
  }

  drawLayer(layer, count, size, opacity, ringed) {
    const gl = this.gl;
    if (!count) return;
    gl.bindVertexArray(layer.array);
    gl.uniform1f(this.points.at("u_size"), size);
    gl.uniform1f(this.points.at("u_opacity"), opacity);
    gl.uniform1i(this.points.at("u_ringed"), ringed ? 1 : 0);
    gl.drawArrays(gl.POINTS, 0, count);
  }

  // Points that would hide each other are thin, so that it is dark where many lie: a density, until one zooms in.
  opacity(size, pixels, magnified) {
    const layers = (this.n * size ** 2) / (pixels * Math.max(1, magnified) ** 2);
    return Math.max(0.12, Math.min(0.9, 0.5 / layers));
  }

  // Small where there are many, larger when the map is magnified; in CSS pixels.
  pointSize(magnified) {
    const plain = Math.max(2.2, Math.min(7.5, 500 / Math.sqrt(this.n || 1)));
    return Math.min(14, plain * Math.max(1, magnified) ** 0.35);
  }
}

function makeProgram(gl, vertices, pixels, attributes) {
  const made = gl.createProgram();
  for (const [kind, source] of [[gl.VERTEX_SHADER, vertices], [gl.FRAGMENT_SHADER, pixels]]) {
    const shader = gl.createShader(kind);
    gl.shaderSource(shader, source);
    gl.compileShader(shader);
    gl.attachShader(made, shader);
  }
  attributes.forEach((name, place) => gl.bindAttribLocation(made, place, name));
  gl.linkProgram(made);
  if (!gl.getProgramParameter(made, gl.LINK_STATUS) && !gl.isContextLost()) throw new Error(gl.getProgramInfoLog(made));
  return { made, at: (name) => gl.getUniformLocation(made, name) };
}

// Buffers of some points: their places and classes.
function makeLayer(gl) {
  const [places, classes] = [0, 0].map(() => gl.createBuffer());
  const array = gl.createVertexArray();
  gl.bindVertexArray(array);
  gl.bindBuffer(gl.ARRAY_BUFFER, places);
  gl.enableVertexAttribArray(0);
  gl.vertexAttribPointer(0, 2, gl.FLOAT, false, 0, 0);
  gl.bindBuffer(gl.ARRAY_BUFFER, classes);
  gl.enableVertexAttribArray(1);
  gl.vertexAttribIPointer(1, 1, gl.UNSIGNED_BYTE, 0, 0);
  gl.bindVertexArray(null);
  return { array, places, classes };
}

function fillBuffer(gl, buffer, values) {
  gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
  gl.bufferData(gl.ARRAY_BUFFER, values, gl.DYNAMIC_DRAW);
}

// ------------------------------------------------------------------------------- the layer, and what lies over it

const MARGIN = 0.2; // of the view, drawn beyond each edge
const LARGEST = 1.6; // magnification of what was drawn before it is drawn anew

export class Layer {
  // below: the canvas that the layer lies on, which hears the pointer.
  constructor(below) {
    this.below = below;
    this.canvas = document.createElement("canvas");
    this.canvas.setAttribute("aria-hidden", "true");
    this.window = document.createElement("div");
    Object.assign(this.window.style, { position: "absolute", overflow: "hidden", pointerEvents: "none", contain: "strict" });
    Object.assign(this.canvas.style, { position: "absolute", willChange: "transform" });
    this.window.append(this.canvas);
    below.insertAdjacentElement("beforebegin", this.window);
    this.drawn = null; // the view that was drawn
  }

  // Let the layer have the pixels of the screen; returns how many there are to one of CSS.
  resize() {
    const { offsetLeft, offsetTop, clientWidth: width, clientHeight: height } = this.below;
    const sharp = window.devicePixelRatio || 1;
    const [wide, high] = [width, height].map((length) => Math.ceil(length * (1 + 2 * MARGIN)));
    const pixels = [wide, high].map((length) => Math.max(1, Math.round(length * sharp)));
    this.size = [width, height];
    place(this.window, offsetLeft, offsetTop, width, height);
    place(this.canvas, (width - wide) / 2, (height - high) / 2, wide, high);
    if (this.canvas.width !== pixels[0] || this.canvas.height !== pixels[1]) [this.canvas.width, this.canvas.height] = pixels;
    return sharp;
  }

  // Say that a view has been drawn.
  keep(view) {
    this.drawn = { ...view };
    this.canvas.style.transform = "";
  }

  // Move what was drawn to where it belongs in a view; false if that would leave much of it empty, or blurred.
  follow(view) {
    if (!this.drawn) return false;
    const grown = view.scale / this.drawn.scale;
    const moved = [(this.drawn.x - view.x) * view.scale, (view.y - this.drawn.y) * view.scale];
    const room = [0, 1].map((axis) => this.size[axis] * ((0.5 + MARGIN) * grown - 0.5));
    this.canvas.style.transform = `translate(${moved[0]}px, ${moved[1]}px) scale(${grown})`;
    return grown <= LARGEST && [0, 1].every((axis) => Math.abs(moved[axis]) <= room[axis]);
  }
}

function place(element, left, top, width, height) {
  Object.assign(element.style, { left: `${left}px`, top: `${top}px`, width: `${width}px`, height: `${height}px` });
}

const INK = "var(--ink, #14171a)";
const PAPER = "var(--paper, #ffffff)";
const SPACE = "http://www.w3.org/2000/svg";
const RADII = [11, 8]; // of the rings

export class Overlay {
  constructor(canvas) {
    this.below = canvas;
    const sheet = document.createElementNS(SPACE, "svg");
    this.outline = sheet.appendChild(document.createElementNS(SPACE, "polygon"));
    Object.assign(sheet.style, { position: "absolute", width: "100%", height: "100%" });
    Object.assign(this.outline.style, { fill: INK, fillOpacity: 0.08, stroke: INK, strokeWidth: 1.5, strokeDasharray: "5 4" });
    this.names = document.createElement("div");
    this.window = document.createElement("div");
    this.window.setAttribute("aria-hidden", "true");
    this.rings = RADII.map((radius) => {
      const [size, edge] = [`${2 * radius + 2.5}px`, `0 0 0 1.75px ${PAPER}, inset 0 0 0 1.75px ${PAPER}`];
      return floating(this.window, { width: size, height: size, borderRadius: "50%", border: `2.5px solid ${INK}`, boxSizing: "border-box", boxShadow: edge });
    });
    this.window.append(sheet, this.names);
    Object.assign(this.window.style, { position: "absolute", overflow: "hidden", pointerEvents: "none" });
    canvas.insertAdjacentElement("afterend", this.window);
  }

  // rings: [[x, y] or null, ...], outline: [[x, y], ...] or null, and names: [[x, y, text], ...], in pixels of CSS.
  paint(rings, outline, names) {
    const { offsetLeft, offsetTop, clientWidth: width, clientHeight: height } = this.below;
    place(this.window, offsetLeft, offsetTop, width, height);
    this.rings.forEach((ring, at) => move(ring, rings[at]));
    names.forEach(([x, y, text], at) => {
      const font = { font: "600 13px/1.5 system-ui", whiteSpace: "nowrap", padding: "0 6px", borderRadius: "6px", color: INK, background: PAPER, opacity: 0.85 };
      const name = this.names.children[at] ?? floating(this.names, font);
      name.textContent = text;
      move(name, [x, y - 18]);
    });
    while (this.names.childElementCount > names.length) this.names.lastChild.remove();
    this.outline.setAttribute("points", (outline ?? []).join(" "));
  }
}

function floating(parent, style) {
  const made = parent.appendChild(document.createElement("div"));
  Object.assign(made.style, { position: "absolute", left: 0, top: 0, ...style });
  return made;
}

// Let the middle of an element be at a place; null hides it.
function move(element, at) {
  element.hidden = !at;
  if (at) element.style.transform = `translate(${at[0]}px, ${at[1]}px) translate(-50%, -50%)`;
}
