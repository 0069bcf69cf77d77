/**
 * Describes why a render failed: a stable code, a sentence, and the cause for operators. `render` throws nothing
 * else, so callers switch on `code` and never parse a message.
 */

/** All codes and their sentences. The names equal those of an HTTP fetch for the same reasons. */
export const renderCodes = {
  bad_url: 'The address or a header is not one that may be requested.',
  timeout: 'The page did not load in time.',
  busy: 'No browser was free in time.',
  aborted: 'The render was cancelled.',
  connect: 'No connection could be made.',
  dns: 'The name could not be resolved.',
  private_address: 'The address is not on the public internet.',
  tls: 'The encrypted connection could not be established.',
  protocol: 'The response is incomplete or not valid HTTP.',
  proxy: 'The proxy made no connection.',
  too_many_redirects: 'The redirects form a loop, or there are too many.',
  action_failed: 'An action on the page failed.',
  too_large: 'The page is larger than the limit.',
  download: 'The address leads to a file that a browser saves instead of showing it.',
  no_document: 'The response has no document: the browser stayed on its page.',
  crashed: 'The page crashed the browser.',
  browser: 'The browser could not be started.',
}

export type RenderCode = keyof typeof renderCodes

export class RenderError extends Error {
  override readonly name = 'RenderError'
  readonly code: RenderCode

  /** `because` is added to the sentence of the code. */
  constructor(code: RenderCode, { because, cause }: { because?: string; cause?: unknown } = {}) {
    const sentence = renderCodes[code]
    super(because ? `${sentence.slice(0, -1)}: ${because}` : sentence, cause === undefined ? {} : { cause })
    this.code = code
  }

  /** Maps any thrown value to its code. Chromium's net errors are known by name; all others are `protocol`. */
  static from(thrown: unknown): RenderError {
    if (thrown instanceof RenderError) return thrown
    const message = thrown instanceof Error ? thrown.message : String(thrown)
    const [, code] = causes.find(([cause]) => cause.test(message)) ?? [/./, 'protocol' as const]
    const [, name] = withMore.has(code) ? (/net::ERR_(\w+)/.exec(message) ?? []) : []
    const because = name?.toLowerCase().replaceAll('_', ' ')
    return new RenderError(code, { ...(because && { because }), cause: thrown })
  }
}

/** For these, the name of Chromium's error is more informative than the sentence. */
const withMore = new Set<RenderCode>(['bad_url', 'connect', 'dns', 'proxy', 'timeout', 'tls'])

/** Messages of Chromium and Playwright; the first match applies. */
const causes: [RegExp, RenderCode][] = [
  [/Download is starting/, 'download'],
  [/ERR_(TUNNEL_CONNECTION_FAILED|PROXY_\w+|UNEXPECTED_PROXY_AUTH|SOCKS_\w+)/, 'proxy'],
  [/ERR_(NAME_\w+|DNS_\w+|ICANN_\w+)/, 'dns'],
  [/ERR_(CERT_\w+|SSL_\w+|BAD_SSL_\w+)/, 'tls'],
  [/ERR_(TIMED_OUT|CONNECTION_TIMED_OUT)/, 'timeout'],
  [/ERR_(CONNECTION_\w+|ADDRESS_\w+|NETWORK_\w+|INTERNET_\w+|SOCKET_\w+)/, 'connect'],
  [/ERR_TOO_MANY_REDIRECTS/, 'too_many_redirects'],
  [
    /ERR_(UNSAFE_REDIRECT|UNSAFE_PORT|INVALID_URL|DISALLOWED_\w+|UNKNOWN_URL_SCHEME|INVALID_REDIRECT)/,
    'bad_url',
  ],
  [/ERR_ABORTED/, 'no_document'],
  [/has been closed|crashed|was detached|Connection closed/, 'crashed'],
]
