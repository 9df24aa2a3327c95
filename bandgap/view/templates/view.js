"use strict";
// Draws what bandgap/view/packing.py packs: pieces, each a rectangle of pages and lines, or a grid of mixtures.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const canvas = document.getElementById("arena"), onScreen = canvas.getContext("2d");
  // the picture without cursor, which is drawn again only where the window is another
  const picture = document.createElement("canvas"), context = picture.getContext("2d");
  const LOOKS = ["live", "held", "withheld", "hole"], HOLE = 3;
  const all = { x0: data.first, x1: Math.max(data.end, data.first + 1), y0: data.base, y1: Math.max(data.capacity, data.base + 1) };
  let view = { ...all }, cursor = null, dragged = null, colours = null;
  const MARGIN = { left: 76, right: 8, top: 8, bottom: 34 };
  const number = new Intl.NumberFormat("en");

  // ------------------------------------------------------------------------------------------------------- colours

  function parsed(name) {
    const value = getComputedStyle(document.documentElement).getPropertyValue(name).trim();
    return [1, 3, 5].map((at) => parseInt(value.slice(at, at + 2), 16));
  }
  const mixed = (one, other, share) => one.map((value, at) => Math.round(value * share + other[at] * (1 - share)));
  const css = (colour) => `rgb(${colour.join(" ")})`;

  function readColours() {
    const paper = parsed("--paper"), ink = parsed("--ink"), withheld = parsed("--withheld");
    const looks = data.bands.map((_, band) => {
      const kind = parsed(`--band${band % 6}`);
      return [kind, mixed(kind, ink, 0.6), withheld, mixed(kind, paper, 0.22)];
    });
    const gap = parsed("--gap");
    colours = { looks, gap, ink, dim: parsed("--dim"), line: parsed("--line"), link: parsed("--link") };
    if (!data.grid) return;
    colours.mixes = data.grid.mixes.map((mix) => {
      const parts = [];
      let rest = data.grid.shares;
      for (let at = 0; at < mix.length; at += 2) {
        parts.push([looks[mix[at] >> 2][mix[at] & 3], mix[at + 1]]);
        rest -= mix[at + 1];
      }
      if (rest > 0) parts.push([gap, rest]);
      const whole = parts.reduce((sum, [, share]) => sum + share, 0);
      return css([0, 1, 2].map((c) => Math.round(parts.reduce((sum, [colour, share]) => sum + colour[c] * share, 0) / whole)));
    });
  }

  // ------------------------------------------------------------------------------------------------------- geometry

  const width = () => canvas.clientWidth, height = () => canvas.clientHeight;
  const plotWidth = () => Math.max(1, width() - MARGIN.left - MARGIN.right);
  const plotHeight = () => Math.max(1, height() - MARGIN.top - MARGIN.bottom);
  const toX = (line) => MARGIN.left + (line - view.x0) / (view.x1 - view.x0) * plotWidth();
  const toY = (byte) => MARGIN.top + (view.y1 - byte) / (view.y1 - view.y0) * plotHeight();
  const lineAt = (x) => view.x0 + (x - MARGIN.left) / plotWidth() * (view.x1 - view.x0);
  const byteAt = (y) => view.y1 - (y - MARGIN.top) / plotHeight() * (view.y1 - view.y0);
  const address = (band, page) => data.bands[band].origin + page * data.bands[band].page_bytes;

  function clamp() {
    for (const [low, high, least] of [["x0", "x1", 4], ["y0", "y1", Math.min(64, all.y1 - all.y0)]]) {
      const size = Math.min(Math.max(view[high] - view[low], Math.min(least, all[high] - all[low])), all[high] - all[low]);
      view[low] = Math.min(Math.max(view[low], all[low]), all[high] - size);
      view[high] = view[low] + size;
    }
  }

  function zoom(factor, at) {
    const x = at ? at.line : (view.x0 + view.x1) / 2, y = at ? at.byte : (view.y0 + view.y1) / 2;
    view = { x0: x - (x - view.x0) * factor, x1: x + (view.x1 - x) * factor, y0: y - (y - view.y0) * factor, y1: y + (view.y1 - y) * factor };
    clamp();
    draw();
  }

  // -------------------------------------------------------------------------------------------------------- drawing

  function rectangle(begin, end, low, high, colour, alone = false) {
    if (end <= view.x0 || begin >= view.x1 || high <= view.y0 || low >= view.y1) return;
    const left = toX(Math.max(begin, view.x0)), right = toX(Math.min(end, view.x1));
    const top = toY(Math.min(high, view.y1)), bottom = toY(Math.max(low, view.y0));
    context.fillStyle = colour;
    // pages that are large enough are told apart
    const apart = alone && bottom - top > 5 ? 1 : 0, beside = alone && right - left > 5 ? 1 : 0;
    context.fillRect(left, top, Math.max(right - left - beside, 0.6), Math.max(bottom - top - apart, 0.6));
  }

  function drawPieces() {
    const { spans, pieces } = data;
    for (let at = 0; at < spans.band.length; at++) {
      const band = spans.band[at];
      rectangle(spans.begin[at], spans.end[at], address(band, spans.lo[at]), address(band, spans.hi[at]), css(colours.looks[band][HOLE]));
    }
    const fills = colours.looks.map((looks) => looks.map(css));
    for (let at = 0; at < pieces.band.length; at++) {
      const band = pieces.band[at], page = pieces.page[at], fill = fills[band][pieces.look[at]];
      const pageHeight = data.bands[band].page_bytes / (view.y1 - view.y0) * plotHeight();
      if (pageHeight < 4) {
        rectangle(pieces.begin[at], pieces.end[at], address(band, page), address(band, page + pieces.pages[at]), fill);
      } else {
        for (let each = 0; each < pieces.pages[at]; each++) {
          rectangle(pieces.begin[at], pieces.end[at], address(band, page + each), address(band, page + each + 1), fill, true);
        }
      }
    }
  }

  function drawGrid() {
    const grid = data.grid;
    const first = Math.max(0, Math.floor((view.x0 - data.first) / grid.lines));
    for (let column = first; column < grid.columns.length; column++) {
      const begin = data.first + column * grid.lines, end = Math.min(begin + grid.lines, data.end);
      if (begin >= view.x1) break;
      const left = Math.floor(toX(Math.max(begin, view.x0))), right = Math.ceil(toX(Math.min(end, view.x1)));
      const runs = grid.columns[column];
      for (let at = 0, row = 0; at < runs.length; row += runs[at], at += 2) {
        const low = data.base + row * grid.row_bytes, high = Math.min(low + runs[at] * grid.row_bytes, data.capacity);
        if (high <= view.y0 || low >= view.y1) continue;
        const top = Math.floor(toY(Math.min(high, view.y1))), bottom = Math.ceil(toY(Math.max(low, view.y0)));
        context.fillStyle = colours.mixes[runs[at + 1]];
        context.fillRect(left, top, right - left, bottom - top);
      }
    }
  }

  function steps(low, high, most, base) {
    let step = 1;
    while ((high - low) / step > most) step *= base === 2 ? 2 : String(step)[0] === "2" ? 2.5 : 2;
    const found = [];
    for (let at = Math.ceil(low / step) * step; at <= high; at += step) found.push(at);
    return found;
  }

  function bytes(amount) {
    const units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    let unit = 0;
    while (Math.abs(amount) >= 1024 && unit + 1 < units.length) { amount /= 1024; unit++; }
    return `${number.format(Math.round(amount * 100) / 100)} ${units[unit]}`;
  }

  function drawAxes() {
    context.font = "12px ui-sans-serif, system-ui, sans-serif";
    context.fillStyle = css(colours.dim);
    context.strokeStyle = css(colours.line);
    context.lineWidth = 1;
    context.textAlign = "right";
    context.textBaseline = "middle";
    for (const byte of steps(view.y0, view.y1, Math.max(2, plotHeight() / 56), 2)) {
      context.fillText(bytes(byte), MARGIN.left - 8, Math.max(toY(byte), MARGIN.top + 6));
      context.strokeRect(MARGIN.left - 4, toY(byte), 4, 0);
    }
    context.textAlign = "center";
    context.textBaseline = "top";
    for (const line of steps(view.x0, view.x1, Math.max(2, plotWidth() / 90), 10)) {
      const label = number.format(line), x = toX(line), half = context.measureText(label).width / 2;
      context.fillText(label, Math.min(Math.max(x, MARGIN.left + half), width() - MARGIN.right - half), height() - MARGIN.bottom + 7);
      context.strokeRect(x, height() - MARGIN.bottom, 0, 4);
    }
    context.strokeRect(MARGIN.left - 0.5, MARGIN.top - 0.5, plotWidth() + 1, plotHeight() + 1);
  }

  function drawFiles() {
    context.strokeStyle = css(colours.dim);
    context.lineWidth = 1;
    context.setLineDash([2, 4]);
    context.beginPath();
    for (const [, first] of data.files.slice(1)) {
      if (first <= view.x0 || first >= view.x1) continue;
      context.moveTo(toX(first), MARGIN.top); context.lineTo(toX(first), height() - MARGIN.bottom);
    }
    context.stroke();
    context.setLineDash([]);
  }

  function draw() {
    const ratio = window.devicePixelRatio || 1;
    canvas.width = picture.width = Math.round(width() * ratio);
    canvas.height = picture.height = Math.round(height() * ratio);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    onScreen.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.fillStyle = css(colours.gap);
    context.fillRect(MARGIN.left, MARGIN.top, plotWidth(), plotHeight());
    if (data.grid) drawGrid(); else drawPieces();
    drawFiles();
    drawAxes();
    document.getElementById("window").textContent =
      `lines ${number.format(Math.ceil(view.x0))} to ${number.format(Math.ceil(view.x1) - 1)}, bytes ${bytes(view.y0)} to ${bytes(view.y1)}`;
    show();
  }

  function show() {
    onScreen.clearRect(0, 0, width(), height());
    onScreen.drawImage(picture, 0, 0, width(), height());
    onScreen.lineWidth = 1;
    if (cursor) {
      onScreen.strokeStyle = css(colours.ink);
      onScreen.setLineDash([3, 3]);
      onScreen.beginPath();
      onScreen.moveTo(toX(cursor.line + 0.5), MARGIN.top); onScreen.lineTo(toX(cursor.line + 0.5), height() - MARGIN.bottom);
      onScreen.moveTo(MARGIN.left, toY(cursor.byte)); onScreen.lineTo(width() - MARGIN.right, toY(cursor.byte));
      onScreen.stroke();
      onScreen.setLineDash([]);
    }
    if (dragged && dragged.to) {
      onScreen.strokeStyle = css(colours.link);
      onScreen.lineWidth = 2;
      onScreen.strokeRect(dragged.from.x, dragged.from.y, dragged.to.x - dragged.from.x, dragged.to.y - dragged.from.y);
    }
  }

  // --------------------------------------------------------------------------------------------------- what is there

  const named = (band) => `“${data.bands[band].name}”`;

  function pieceAt(line, byte) {
    const { pieces } = data;
    for (let at = 0; at < pieces.band.length; at++) {
      if (line < pieces.begin[at] || line >= pieces.end[at]) continue;
      const band = pieces.band[at], page = Math.floor((byte - data.bands[band].origin) / data.bands[band].page_bytes);
      if (page >= pieces.page[at] && page < pieces.page[at] + pieces.pages[at]) return [band, page];
    }
    const { spans } = data;
    for (let at = 0; at < spans.band.length; at++) {
      if (line < spans.begin[at] || line >= spans.end[at]) continue;
      const band = spans.band[at], page = Math.floor((byte - data.bands[band].origin) / data.bands[band].page_bytes);
      if (page >= spans.lo[at] && page < spans.hi[at]) return [band, page];
    }
    return null;
  }

  function historyOf(band, page) {
    const { pieces } = data, found = [];
    for (let at = 0; at < pieces.band.length; at++) {
      const into = page - pieces.page[at];
      if (pieces.band[at] !== band || into < 0 || into >= pieces.pages[at]) continue;
      const id = pieces.id[at] + into * pieces.step[at], look = LOOKS[pieces.look[at]], ticket = pieces.ticket[at];
      const of = id >= 0 ? (look === "withheld" ? `, was id ${number.format(id)}` : ` as id ${number.format(id)}`) : "";
      const by = ticket >= 0 ? `, ${look === "held" ? "first by" : "for"} ticket ${number.format(ticket)}` : "";
      found.push({ begin: pieces.begin[at], end: pieces.end[at], says: `${look}${of}${by}` });
    }
    return found.sort((one, other) => one.begin - other.begin);
  }

  function lineIn(line) {
    let found = null;
    for (const [name, first] of data.files) if (first <= line) found = [name, first];
    return found ? ` (${number.format(line - found[1] + 1)} of ${found[0]})` : "";
  }

  const lines = (begin, end) => end - begin === 1 ? `line ${number.format(begin)}` : `lines ${number.format(begin)} to ${number.format(end - 1)}`;

  function told(line, byte) {
    const place = pieceAt(line, byte);
    if (!place) return [`Line ${number.format(line)}${lineIn(line)}, byte ${number.format(Math.floor(byte))}: gap, free for any kind.`, []];
    const [band, page] = place, history = historyOf(band, page);
    const now = history.find((each) => each.begin <= line && line < each.end);
    const begins = address(band, page);
    const head = `Line ${number.format(line)}${lineIn(line)}: page ${number.format(page)} of ${named(band)}, ${bytes(data.bands[band].page_bytes)} from byte ${number.format(begins)}: ${now ? now.says : "a hole"}.`;
    return [head, history.map((each) => [`${lines(each.begin, each.end)}: ${each.says}`, each === now])];
  }

  const mixOf = (column, row) => {
    const runs = data.grid.columns[column];
    for (let at = 0, from = 0; at < runs.length; from += runs[at], at += 2) if (row < from + runs[at]) return runs[at + 1];
    return 0;
  };

  function mixture(mix) {
    const parts = data.grid.mixes[mix], said = [];
    let rest = data.grid.shares;
    for (let at = 0; at < parts.length; at += 2) {
      said.push([parts[at + 1], `${named(parts[at] >> 2)} ${LOOKS[parts[at] & 3]}`]);
      rest -= parts[at + 1];
    }
    if (rest > 0) said.push([rest, "gap"]);
    said.sort((one, other) => other[0] - one[0]);
    const all = said.length === 1;
    return said.map(([share, what]) => all ? `all ${what}` : `about ${share}/${data.grid.shares} ${what}`).join(", ");
  }

  function toldOfCell(line, byte) {
    const grid = data.grid;
    const column = Math.min(grid.columns.length - 1, Math.floor((line - data.first) / grid.lines));
    const row = Math.min(grid.rows - 1, Math.floor((byte - data.base) / grid.row_bytes));
    const begin = data.first + column * grid.lines, low = data.base + row * grid.row_bytes;
    const head = `${lines(begin, Math.min(begin + grid.lines, data.end))}${lineIn(begin)}, bytes ${number.format(low)} to ${number.format(Math.min(low + grid.row_bytes, data.capacity))}: ${mixture(mixOf(column, row))}.`;
    const history = [];
    for (let at = 0; at < grid.columns.length; at++) {
      const mix = mixOf(at, row), from = data.first + at * grid.lines, to = Math.min(from + grid.lines, data.end);
      const last = history[history.length - 1];
      if (last && last.mix === mix) last.end = to; else history.push({ mix, begin: from, end: to });
    }
    const here = history.findIndex((each) => each.begin <= line && line < each.end), near = history.slice(Math.max(0, here - 12), here + 13);
    return [head[0].toUpperCase() + head.slice(1), near.map((each) => [`${lines(each.begin, each.end)}: ${mixture(each.mix)}`, each === history[here]])];
  }

  function tell(line, byte) {
    const [head, history] = data.grid ? toldOfCell(line, byte) : told(line, byte);
    const here = document.getElementById("here");
    here.textContent = "";
    const said = document.createElement("div");
    said.textContent = head;
    here.append(said);
    if (!history.length) return;
    const list = document.createElement("ol");
    let current = null;
    for (const [text, now] of history) {
      const item = document.createElement("li");
      item.textContent = text;
      if (now) { item.className = "now"; current = item; }
      list.append(item);
    }
    here.append(list);
    if (current) list.scrollTop = current.offsetTop - list.offsetTop - 60;
  }

  function look(line, byte) {
    cursor = {
      line: Math.min(Math.max(Math.floor(line), Math.ceil(view.x0)), Math.ceil(view.x1) - 1),
      byte: Math.min(Math.max(byte, view.y0), view.y1 - 1e-9 * (view.y1 - view.y0)),
    };
    tell(cursor.line, cursor.byte);
    show();
  }

  // -------------------------------------------------------------------------------------------------------- listening

  const at = (event) => {
    const box = canvas.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };
  canvas.addEventListener("pointerdown", (event) => { dragged = { from: at(event), to: null }; });
  canvas.addEventListener("pointermove", (event) => {
    const place = at(event);
    if (dragged && event.pointerType === "mouse" && Math.hypot(place.x - dragged.from.x, place.y - dragged.from.y) > 6) dragged.to = place;
    if (dragged && dragged.to) show(); else look(lineAt(place.x), byteAt(place.y));
  });
  window.addEventListener("pointerup", (event) => {
    const over = dragged;
    dragged = null;
    if (over && over.to) {
      const xs = [lineAt(over.from.x), lineAt(over.to.x)].sort((one, other) => one - other);
      const ys = [byteAt(over.from.y), byteAt(over.to.y)].sort((one, other) => one - other);
      view = { x0: xs[0], x1: xs[1], y0: ys[0], y1: ys[1] };
      clamp();
      draw();
    } else if (over && event.target === canvas) {
      look(lineAt(over.from.x), byteAt(over.from.y));
    }
  });
  window.addEventListener("pointercancel", () => { dragged = null; show(); });
  function showAll() { view = { ...all }; draw(); }
  canvas.addEventListener("dblclick", showAll);
  document.getElementById("in").addEventListener("click", () => zoom(0.5, cursor));
  document.getElementById("out").addEventListener("click", () => zoom(2, cursor));
  document.getElementById("reset").addEventListener("click", showAll);
  canvas.addEventListener("keydown", (event) => {
    const moves = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
    const move = moves[event.key];
    if (move) {
      const x = (view.x1 - view.x0) / 40, y = (view.y1 - view.y0) / 40;
      if (event.shiftKey) {
        view = { x0: view.x0 + move[0] * 4 * x, x1: view.x1 + move[0] * 4 * x, y0: view.y0 + move[1] * 4 * y, y1: view.y1 + move[1] * 4 * y };
        clamp();
        draw();
      } else {
        const from = cursor || { line: (view.x0 + view.x1) / 2, byte: (view.y0 + view.y1) / 2 };
        look(from.line + move[0] * Math.max(1, Math.round(x)), from.byte + move[1] * y);
      }
    } else if (event.key === "+" || event.key === "=") zoom(0.5, cursor);
    else if (event.key === "-") zoom(2, cursor);
    else if (event.key === "Home") showAll();
    else return;
    event.preventDefault();
  });
  window.addEventListener("resize", draw);
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { readColours(); draw(); });
  for (const name of ["tools", "how"]) document.getElementById(name).hidden = false;
  readColours();
  draw();
  // for those who test it: that it was drawn, and how
  canvas.dataset.drawn = data.grid ? `${data.grid.columns.length} columns` : `${data.pieces.band.length} pieces`;
})();
