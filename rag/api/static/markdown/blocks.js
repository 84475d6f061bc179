/** Cuts markdown into blocks: a plain value each, with the text it was made from. */

/**
 * `from` and `to` are the lines of `text` that a block, an item or a row was made from, the first and the one after
 * the last.
 *
 * @typedef {{kind: "paragraph"|"html", text: string, source: string}
 *   | {kind: "heading", level: number, text: string, source: string}
 *   | {kind: "code", language: string, text: string, source: string}
 *   | {kind: "quote", blocks: Block[], source: string}
 *   | {kind: "notice", label: string, blocks: Block[], source: string}
 *   | {kind: "list", ordered: boolean, start: number, items: Block[][], lines: [number, number][], source: string}
 *   | {kind: "table", aligns: string[], head: string[], rows: string[][], source: string}
 *   | {kind: "footnote", label: string, blocks: Block[], source: string}
 *   | {kind: "math", text: string, source: string}
 *   | {kind: "rule", source: string}} Block
 */

const FENCE = /^( {0,3})(`{3,}|~{3,})\s*([^`]*)$/;
const HEADING = /^ {0,3}(#{1,6})(?:\s+(.*?))?(?:\s+#+)?\s*$/;
const RULE = /^ {0,3}([-*_])(?:\s*\1){2,}\s*$/;
const QUOTE = /^ {0,3}> ?/;
const CALLOUT = /^\[!(\w+)\][^\S\n]*([^\n]*)\n?/;
const DIRECTIVE = /^ {0,3}(:{3,})\s*(\w+)\s*(?:\[(.*)\]|(.*?))\s*$/;
const FOOTNOTE = /^ {0,3}\[\^([^\]\s]{1,40})\]:\s?/;
const ITEM = /^( {0,3})([-*+]|\d{1,9}[.)])(?:( {1,4})(?=\S)| *$)/;
const DIVIDER = /^ {0,3}\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$/;
const FORMULA = /^ {0,3}(\$\$|\\\[)(.*)$/;
/** A formula has no more lines than this, and no empty one. */
const LONGEST_FORMULA = 60;
const DEEPEST = 12;

/**
 * @param {string} text
 * @param {number} [depth] how many lists and quotes stand around it; very deep ones are read as text
 * @returns {Block[]}
 */
export function blocksOf(text, depth = 0) {
  const lines = text.replace(/\r\n?/g, "\n").replace(/\t/g, "    ").split("\n");
  const blocks = [];
  let at = 0;
  while (at < lines.length) {
    if (!lines[at].trim()) {
      at += 1;
      continue;
    }
    const [block, end] = blockAt(lines, at, depth);
    blocks.push({ ...block, source: lines.slice(at, end).join("\n"), from: at, to: end });
    at = end;
  }
  return blocks;
}

/** The block that begins in a line, and the line after it. */
function blockAt(lines, at, depth) {
  const line = lines[at];
  if (FENCE.test(line)) return code(lines, at);
  const heading = HEADING.exec(line);
  if (heading) return [{ kind: "heading", level: heading[1].length, text: heading[2] ?? "" }, at + 1];
  if (RULE.test(line)) return [{ kind: "rule" }, at + 1];
  if (QUOTE.test(line) && depth < DEEPEST) return quote(lines, at, depth);
  if (DIRECTIVE.test(line) && depth < DEEPEST) return directive(lines, at, depth);
  if (FOOTNOTE.test(line) && depth < DEEPEST) return footnote(lines, at, depth);
  if (ITEM.test(line) && depth < DEEPEST) return list(lines, at, depth);
  if (isTable(lines, at)) return table(lines, at);
  return formula(lines, at) ?? paragraph(lines, at);
}

/** A formula on lines of its own, from `$$` to `$$` or from `\[` to `\]`; null where nothing closes it. */
function formula(lines, at) {
  const [, open, first] = FORMULA.exec(lines[at]) ?? [];
  if (!open) return null;
  const close = open === "$$" ? "$$" : "\\]";
  const read = [];
  for (let line = first, end = at + 1; read.length < LONGEST_FORMULA; line = lines[end], end += 1) {
    if (line === undefined || (end > at + 1 && !line.trim())) return null;
    read.push(line.trimEnd());
    if (!read.at(-1).endsWith(close)) continue;
    const text = read.join("\n").slice(0, -close.length).trim();
    return text ? [{ kind: "math", text }, end] : null;
  }
  return null;
}

/** A fence that nothing closes runs to the end, as it does while an answer is being written. */
function code(lines, at) {
  const [, indent, fence, info] = FENCE.exec(lines[at]);
  const closing = new RegExp(`^ {0,3}\\${fence[0]}{${fence.length},}\\s*$`);
  let end = at + 1;
  while (end < lines.length && !closing.test(lines[end])) end += 1;
  const cut = new RegExp(`^ {0,${indent.length}}`);
  const text = lines.slice(at + 1, end).map((line) => line.replace(cut, "")).join("\n");
  return [{ kind: "code", language: info.trim().split(/\s/)[0], text }, Math.min(end + 1, lines.length)];
}

function quote(lines, at, depth) {
  let end = at;
  while (end < lines.length && QUOTE.test(lines[end])) end += 1;
  const inner = lines.slice(at, end).map((line) => line.replace(QUOTE, "")).join("\n");
  const callout = CALLOUT.exec(inner);
  if (!callout) return [{ kind: "quote", blocks: blocksOf(inner, depth + 1) }, end];
  const [mark, kind, title] = callout;
  return [{ kind: "notice", label: title || named(kind), blocks: blocksOf(inner.slice(mark.length), depth + 1) }, end];
}

/** A notice as Docusaurus writes it: from `:::kind Title` to as many colons. */
function directive(lines, at, depth) {
  const [, colons, kind, bracketed, title] = DIRECTIVE.exec(lines[at]);
  const closing = new RegExp(`^ {0,3}${colons}\\s*$`);
  let end = at + 1;
  while (end < lines.length && !closing.test(lines[end])) end += 1;
  const blocks = blocksOf(lines.slice(at + 1, end).join("\n"), depth + 1);
  return [{ kind: "notice", label: bracketed || title || named(kind), blocks }, Math.min(end + 1, lines.length)];
}

/** The text of a footnote: what follows its label, and the indented lines below. */
function footnote(lines, at, depth) {
  const [mark, label] = FOOTNOTE.exec(lines[at]);
  const end = endOfItem(lines, at, 2);
  const inner = [lines[at].slice(mark.length), ...lines.slice(at + 1, end).map((line) => outdented(line, 4))];
  return [{ kind: "footnote", label, blocks: blocksOf(inner.join("\n"), depth + 1) }, end];
}

function named(kind) {
  return kind[0].toUpperCase() + kind.slice(1).toLowerCase();
}

function list(lines, at, depth) {
  const ordered = /\d/.test(ITEM.exec(lines[at])[2]);
  const start = ordered ? Number.parseInt(lines[at].trim(), 10) : 1;
  const items = [];
  const ranges = [];
  let end = at;
  while (end < lines.length) {
    const match = ITEM.exec(lines[end]);
    if (!match || /\d/.test(match[2]) !== ordered || RULE.test(lines[end])) break;
    const after = endOfItem(lines, end, match[0].length);
    const inner = lines.slice(end, after).map((line, n) => (n ? outdented(line, match[0].length) : line.slice(match[0].length)));
    items.push(blocksOf(inner.join("\n"), depth + 1));
    ranges.push([end, after]);
    end = after;
  }
  return [{ kind: "list", ordered, start, items, lines: ranges }, end];
}

/** An item holds the lines that are indented below its text, blank ones between them, and lines of its paragraph. */
function endOfItem(lines, at, width) {
  let end = at + 1;
  for (let next = end; next < lines.length; next += 1) {
    const line = lines[next];
    if (!line.trim()) continue;
    const isIndented = line.length - line.trimStart().length >= Math.min(width, 2);
    const goesOn = next === end && !ITEM.test(line) && !startsBlock(lines, next);
    if (!isIndented && !goesOn) break;
    end = next + 1;
  }
  while (end < lines.length && !lines[end].trim() && ITEM.test(lines[end + 1] ?? "")) end += 1;
  return end;
}

function outdented(line, width) {
  return line.slice(Math.min(width, line.length - line.trimStart().length));
}

function isTable(lines, at) {
  const divider = lines[at + 1] ?? "";
  return lines[at].includes("|") && divider.includes("-") && DIVIDER.test(divider) &&
    cells(lines[at]).length === cells(divider).length;
}

function table(lines, at) {
  const head = cells(lines[at]);
  const aligns = cells(lines[at + 1]).map((cell) => (/^:.*:$/.test(cell) ? "center" : cell.endsWith(":") ? "end" : "start"));
  const rows = [];
  let end = at + 2;
  for (; end < lines.length && lines[end].trim() && lines[end].includes("|"); end += 1) {
    const row = cells(lines[end]);
    rows.push(head.map((_, column) => row[column] ?? ""));
  }
  return [{ kind: "table", aligns, head, rows }, end];
}

/** The cells of a row; a bar behind a backslash, or within code, does not end one. */
function cells(line) {
  const row = line.trim().replace(/^\|/, "").replace(/(?<!\\)\|$/, "");
  const found = row.match(/(?:\\.|`[^`]*`|[^|\\])+|(?<=\|)(?=\|)/g) ?? [];
  return found.map((cell) => cell.trim().replace(/\\\|/g, "|"));
}

function paragraph(lines, at) {
  let end = at + 1;
  while (end < lines.length && lines[end].trim() && !startsBlock(lines, end)) end += 1;
  const text = lines.slice(at, end).map((line) => line.trimStart()).join("\n").trimEnd();
  return [{ kind: "paragraph", text }, end];
}

/** Whether a line ends the paragraph before it. Numbers do so only with 1, since a sentence may wrap before "1998.". */
function startsBlock(lines, at) {
  const line = lines[at];
  const item = ITEM.exec(line);
  return [FENCE, HEADING, RULE, QUOTE, DIRECTIVE, FOOTNOTE].some((mark) => mark.test(line)) ||
    (item !== null && item[0].length < line.length && !/^(?!1[.)])\d/.test(item[2])) || isTable(lines, at) ||
    formula(lines, at) !== null;
}
