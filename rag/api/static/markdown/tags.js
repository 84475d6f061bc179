/** Takes the tags of MDX and HTML out of a passage where they stand alone in a line, as its site shows none of them. */

const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const TAG = /^\s*<(?:\/?([A-Za-z][\w.]*)((?:\s+[\w:-]+(?:=(?:"[^"]*"|'[^']*'|\{[^{}]*\}))?)*)\s*\/?|\/?)>\s*$/;
const SUMMARY = /^\s*<summary>(.*?)<\/summary>\s*$/;
const NAME = /\s(?:label|title)=(?:"([^"]*)"|'([^']*)')/;
const CONTAINERS = new Set(["center", "details", "div", "figure", "p", "section", "span", "summary"]);

/**
 * A component's label or title, and the summary of details, stay as a line in bold; code keeps its tags, and so does
 * a tag that is neither a component nor a container: it may be what the lesson is about.
 *
 * @param {string} text
 * @returns {{text: string, lines: number[]}} markdown, and the line of `text` in which each of its lines stood
 */
export function withoutTags(text) {
  let fence = "";
  const kept = text.split("\n").map((line) => {
    const mark = FENCE.exec(line)?.[1];
    if (fence || mark) {
      if (!fence) fence = mark;
      else if (mark?.startsWith(fence)) fence = "";
      return line;
    }
    return plain(line);
  });
  return { text: kept.join("\n"), lines: kept.flatMap((line, at) => line.split("\n").map(() => at)) };
}

function plain(line) {
  const summary = SUMMARY.exec(line);
  if (summary) return bold(summary[1]);
  const tag = TAG.exec(line);
  if (!tag) return line;
  const [, name = "", attributes = ""] = tag;
  if (name && !/^[A-Z]/.test(name) && !CONTAINERS.has(name)) return line;
  const named = NAME.exec(attributes);
  return named ? bold(named[1] ?? named[2]) : "";
}

function bold(text) {
  return text.trim() ? `\n**${text.trim()}**\n` : "";
}
