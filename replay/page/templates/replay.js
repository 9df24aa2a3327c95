"use strict";
// Okabe and Ito's colours, told apart by most eyes; idle bytes are hatched as well.
const COLOURS = ["#D55E00", "#CC79A7", "#009E73", "#0072B2", "#E69F00"];
const data = JSON.parse(document.getElementById("data").textContent);
const dark = window.matchMedia("(prefers-color-scheme: dark)");
const narrow = window.matchMedia("(max-width: 40rem)");

function style(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

function layout(title, more) {
  const axis = { gridcolor: style("--line"), zeroline: false, linecolor: style("--line") };
  return Object.assign({
    paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)",
    font: { color: style("--text"), family: "system-ui, sans-serif", size: 13 },
    title: { text: title, x: 0, xref: "paper", font: { size: 14 } },
    margin: { l: 52, r: 8, t: 34, b: 40 }, hovermode: "x unified",
    hoverlabel: { bgcolor: style("--raised"), font: { color: style("--text") }, bordercolor: style("--line") },
    modebar: { bgcolor: "rgba(0,0,0,0)", color: style("--dim"), activecolor: style("--accent") },
    legend: { orientation: "h", y: -0.14, x: 0, yanchor: "top", traceorder: "normal" },
    xaxis: Object.assign({ ticksuffix: " s" }, axis),
    yaxis: Object.assign({ rangemode: "tozero" }, axis),
  }, more || {});
}

function colour(kinds, band) {
  return COLOURS[(band + COLOURS.length - kinds.length + 2) % COLOURS.length];
}

// Areas in address order: below each kind what belongs to nobody, then its idle and used bytes.
function areas(memory) {
  const traces = [];
  let below = memory.seconds.map(() => 0);
  memory.kinds.forEach((kind, band) => {
    const begins = memory.begins[kind], ends = memory.ends[kind];
    const used = memory.used_bytes[kind];
    const span = ends.map((end, at) => Math.max(0, end - begins[at]));
    const idle = span.map((size, at) => Math.max(0, size - used[at]));
    const free = begins.map((begin, at) => Math.max(0, begin - below[at]));
    const ink = colour(memory.kinds, band);
    const common = { x: memory.seconds, type: "scatter", mode: "lines", stackgroup: "bytes", line: { width: 0 } };
    const gap = Object.assign({}, common, {
      y: free, name: "free for any", showlegend: false, fillcolor: "rgba(0,0,0,0)", hoverinfo: "skip",
    });
    const held = Object.assign({}, common, {
      y: used, name: kind, fillcolor: ink, hovertemplate: "%{y:.2f} GB", line: { width: 0, color: ink },
    });
    const unused = Object.assign({}, common, {
      y: idle, name: kind + " idle", hovertemplate: "%{y:.2f} GB", line: { width: 0, color: ink },
      fillcolor: "rgba(0,0,0,0)",
      fillpattern: { shape: "/", fgcolor: ink, bgcolor: "rgba(0,0,0,0)", size: 6, solidity: 0.25 },
    });
    // the last kind grows down from the top, so that its idle bytes lie below
    const last = band === memory.kinds.length - 1;
    traces.push(gap, ...(last ? [unused, held] : [held, unused]));
    below = ends.map((end, at) => Math.max(below[at], end));
  });
  return traces;
}

const DASH = ["solid", "dot", "dash"];
function lines(field) {
  return data.memories.map((memory, number) => ({
    x: memory.seconds, y: memory[field], name: memory.name, type: "scatter", mode: "lines",
    line: { width: 2, dash: DASH[number % 3], color: COLOURS[[3, 0, 2][number % 3]] },
  }));
}

function draw() {
  const config = { responsive: true, displaylogo: false, displayModeBar: narrow.matches ? false : "hover" };
  const top = Math.max(...data.memories.map((each) => each.capacity));
  const longest = Math.max(...data.memories.map((each) => each.seconds[each.seconds.length - 1]));
  data.memories.forEach((memory, number) => {
    Plotly.react("arena-" + number, areas(memory), layout(memory.name, {
      xaxis: { range: [0, longest], ticksuffix: " s", gridcolor: style("--line"), zeroline: false },
      yaxis: { range: [0, top], title: { text: "GB by address" }, gridcolor: style("--line"), zeroline: false },
    }), config);
  });
  Plotly.react("running", lines("running"), layout("requests that run"), config);
  Plotly.react("waiting", lines("waiting"), layout("requests that wait"), config);
}

draw();
dark.addEventListener("change", draw);
narrow.addEventListener("change", draw);
