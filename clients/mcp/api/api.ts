/** The public API as the tools call it. Nothing else of the service is reachable from here. */

export type Request = {
  query?: Readonly<Record<string, string | number | undefined>>
  body?: object
  signal?: AbortSignal
}

export type Response = {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: the tools read fields that the OpenAPI document promises
  body: any
  /** Units that the call costs, if it says so. */
  billed: { pages?: number; cloud_pages?: number }
}

export type Api = (
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
  path: string,
  request?: Request,
) => Promise<Response>

/** The subset of `fetch` that a call needs. */
export type Fetch = (url: string, init: RequestInit) => Promise<globalThis.Response>

/** The API refused a call, or did not respond. `message` is for the model. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
}

/** Larger responses are refused: they fit no answer. */
const maxBytes = 48 * 1024 ** 2

/** Returns the API at an address. Neither errors nor logs contain the key. */
export function openApi({ baseUrl, apiKey, fetch }: { baseUrl: string; apiKey: string; fetch: Fetch }): Api {
  const base = baseUrl.replace(/\/+$/, '')
  return async (method, path, { query = {}, body, signal } = {}) => {
    const given = Object.entries(query).flatMap(([name, value]): [string, string][] =>
      value === undefined ? [] : [[name, String(value)]],
    )
    const search = new URLSearchParams(given).toString()
    const url = `${base}${path}${search === '' ? '' : `?${search}`}`
    const response = await fetch(url, {
      method,
      headers: {
        authorization: `Bearer ${apiKey}`,
        accept: 'application/json',
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal !== undefined && { signal }),
    }).catch((error: unknown) => {
      throw new ApiError(`The API at ${base} did not respond: ${reasonOf(error)}.`)
    })
    return read(response)
  }
}

/** The cause of a failed `fetch` names the failure, and its message does not. */
function reasonOf(error: unknown): string {
  const { cause, message } = error as Error & { cause?: { code?: string } }
  return cause?.code ?? message
}

async function read(response: globalThis.Response): Promise<Response> {
  const text = await textOf(response)
  const body = parsed(text)
  if (response.status >= 400) throw new ApiError(refusalText(response, body))
  const units = (name: string) => {
    const value = response.headers.get(name)
    return value === null ? undefined : Number(value)
  }
  const [pages, cloudPages] = [units('x-pages-billed'), units('x-cloud-pages-billed')]
  const billed = {
    ...(pages !== undefined && { pages }),
    ...(cloudPages !== undefined && { cloud_pages: cloudPages }),
  }
  return { status: response.status, body, billed }
}

async function textOf({ body }: globalThis.Response): Promise<string> {
  if (body === null) return ''
  const decoder = new TextDecoder()
  let [text, bytes] = ['', 0]
  for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
    bytes += chunk.length
    if (bytes > maxBytes)
      throw new ApiError(
        `The response exceeds ${maxBytes} bytes. Use the API or an export (POST /v1/crawls/{id}/exports) instead.`,
      )
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}

function parsed(text: string): unknown {
  try {
    return text === '' ? {} : JSON.parse(text)
  } catch {
    return { text }
  }
}

/** Returns the error of the API with all that helps to repair the call. */
function refusalText({ status, headers }: globalThis.Response, body: unknown): string {
  const { error = {} } = (body ?? {}) as { error?: Record<string, unknown> }
  const { code = 'error', reason, field, message = 'no further information', request_id: id } = error
  const about = [code, reason, field && `field ${field}`].filter(Boolean).join(', ')
  const retryAfter = headers.get('retry-after')
  return [
    `The API refused this: ${message} (${status}, ${about})`,
    retryAfter === null ? '' : ` Retry after ${retryAfter} seconds.`,
    id === undefined ? '' : ` Request id ${id}.`,
  ].join('')
}
