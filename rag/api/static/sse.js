/** Reads Server-Sent Events (WHATWG HTML, 9.2.6) from the body of a reply, which EventSource cannot do for a POST. */

/**
 * Yields each event as its name and its data, parsed; comments, such as heartbeats, are passed over.
 * An event that the end cuts off is dropped.
 * @param {ReadableStream<Uint8Array>} body
 * @returns {AsyncGenerator<{name: string, data: any}>}
 */
export async function* eventsIn(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      // A line may end in CR LF, whose halves may come apart.
      const text = (rest + value).replace(/\r\n/g, "\n");
      const ends = text.lastIndexOf("\n\n");
      rest = text.slice(ends + 1);
      if (ends < 0) continue;
      for (const block of text.slice(0, ends).split("\n\n")) {
        const event = parse(block);
        if (event) yield event;
      }
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

/** @param {string} block */
function parse(block) {
  let name = "message";
  const data = [];
  for (const line of block.split("\n")) {
    const colon = line.indexOf(":");
    if (colon < 1) continue;
    const value = line.slice(colon + 1).replace(/^ /, "");
    if (line.startsWith("event:")) name = value;
    if (line.startsWith("data:")) data.push(value);
  }
  return data.length ? { name, data: JSON.parse(data.join("\n")) } : null;
}
