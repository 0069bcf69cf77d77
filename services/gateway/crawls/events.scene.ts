/** A client of server-sent events that reads them as they arrive, and fails on any unexpected line. */

export type Sent = { id: string; type: string; data: Record<string, unknown> }

export type Listening = {
  status: number
  headers: Headers
  /** The whole answer, if it is not a stream. */
  text: string
  /** Yields each complete event. Ends when the server ends the stream, when the connection breaks, or after `leave`. */
  events: AsyncGenerator<Sent>
  leave(): void
}

export type ListenOptions = { after?: string; query?: string }

/** Opens the stream of a run's events. */
export async function listen(
  base: string,
  key: string,
  runId: number,
  { after, query = '' }: ListenOptions = {},
): Promise<Listening> {
  const disconnect = new AbortController()
  const response = await fetch(`${base}/v1/crawls/${runId}/events${query}`, {
    headers: { authorization: `Bearer ${key}`, ...(after !== undefined && { 'last-event-id': after }) },
    signal: disconnect.signal,
  })
  const { status, headers } = response
  const isStream = headers.get('content-type')?.startsWith('text/event-stream') ?? false
  const text = isStream ? '' : await response.text()
  return {
    status,
    headers,
    text,
    events: eventsOf(isStream ? response : null),
    leave: () => disconnect.abort(),
  }
}

/** Returns all events up to the end of the stream. */
export async function listenToEnd(...where: Parameters<typeof listen>): Promise<Sent[]> {
  return Array.fromAsync((await listen(...where)).events)
}

/** Keeps a reference to the response: without one, its body would be cancelled. */
async function* eventsOf(response: Response | null): AsyncGenerator<Sent> {
  const decoder = new TextDecoder()
  let text = ''
  try {
    for await (const chunk of response?.body ?? []) {
      text += decoder.decode(chunk, { stream: true })
      const blocks = text.split('\n\n')
      text = blocks.pop() ?? ''
      for (const block of blocks) if (!isAside(block)) yield sentOf(block)
    }
  } catch (error) {
    if (error instanceof Unexpected) throw error
    // The connection broke. The complete events before that were yielded.
  }
}

class Unexpected extends Error {}

const isAside = (block: string): boolean => /^(retry: 1000|:)$/.test(block)

function sentOf(block: string): Sent {
  const [, id, type, data] = /^id: (\d+-\d+)\nevent: ([a-z]+)\ndata: (.*)$/.exec(block) ?? []
  if (id === undefined || type === undefined || data === undefined) throw new Unexpected(`no event: ${block}`)
  return { id, type, data: JSON.parse(data) }
}
