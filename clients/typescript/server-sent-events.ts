/** Server-sent events (WHATWG HTML, 9.2). */

export type ServerSentEvent = { id: string; event: string; data: unknown }

/** Parses the lines of a stream whose data are JSON. An event counts when its blank line arrived. */
export async function* eventsIn(
  lines: AsyncIterable<string>,
): AsyncGenerator<ServerSentEvent, void, undefined> {
  let fields: Record<string, string> = {}
  for await (const line of lines) {
    if (line === '') {
      const { id = '', event = 'message', data } = fields
      if (data !== undefined) yield { id, event, data: JSON.parse(data) }
      fields = {}
    }
    // A line of JSON may have U+2028, which ends a line for a pattern without `s`.
    const [, name = '', value = ''] = /^(\w+):? ?(.*)$/s.exec(line) ?? []
    fields[name] = name === 'data' && fields.data !== undefined ? `${fields.data}\n${value}` : value
  }
}
