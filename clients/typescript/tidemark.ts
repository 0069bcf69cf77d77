/**
 * The client of Tidemark. Each method is one operation of the API, except `wait`, `events` and `webhooks.verify`. Results
 * have the fields of the API unchanged; `metaOf` returns the request id, the bill and the warnings of a result.
 */
import { TidemarkError } from './errors.ts'
import { accountOf, exportsOf, keysOf, webhooksOf } from './groups/account.ts'
import { crawlsOf, monitorsOf, pagesOf } from './groups/crawls.ts'
import { type Body, optionsOf } from './groups/method.ts'
import { actorsOf, batchesOf, cloudOf, sitesOf } from './groups/sites.ts'
import { type Arguments, type CallOptions, type OperationId, Transport } from './transport.ts'

export * from './errors.ts'
export type { CrawlEvent, FollowOptions, WaitOptions } from './events.ts'
export { List, linesOf } from './lists.ts'
export { type Meta, metaOf } from './meta.ts'
export { operations, version } from './operations.ts'
export { type ActorOptions, needsStream, type Progress, resultIn } from './progress.ts'
export type * from './schema.ts'
export type { CallOptions, OperationId } from './transport.ts'
export { type VerifyOptions, verifyWebhook, type WebhookEvent } from './webhooks.ts'

export type TidemarkOptions = {
  /** Default: the environment variable `TIDEMARK_API_KEY`. Keys must never be placed in browser code. */
  apiKey?: string | undefined
  /** Address of the service. Default: the environment variable `TIDEMARK_BASE_URL`, or http://127.0.0.1:8080. */
  baseUrl?: string | undefined
  /** Attempts after the first one. Default 2. */
  maxRetries?: number | undefined
  /** Longest `Retry-After` in seconds that is waited for. Default 60. */
  maxRetryAfter?: number | undefined
  /** Milliseconds for the response of each attempt, and then between two parts of its body. Default 200,000, because some operations take three minutes. */
  timeout?: number | undefined
  fetch?: typeof globalThis.fetch | undefined
}

const environment = (name: string): string | undefined =>
  (globalThis as { process?: { env?: Record<string, string | undefined> } }).process?.env?.[name]

const defaultBaseUrl = 'http://127.0.0.1:8080'

/** Returns a key as a header can have it. The runtimes would print any other key in their error. */
function keyOf(given: string | undefined): string | undefined {
  const key = given?.trim()
  if (key && /[^!-~]/.test(key))
    throw new TidemarkError('The API key has a character that no key has, such as a space or a line break.')
  return key || undefined
}

/**
 * Returns the address of the service without slashes at its end. It may be a path in a browser, or if the caller has
 * set `fetch`.
 */
function addressOf({ baseUrl, fetch }: TidemarkOptions): string {
  const address = (baseUrl || environment('TIDEMARK_BASE_URL') || defaultBaseUrl).replace(/\/+$/, '')
  const isPath = address.startsWith('/') && (fetch !== undefined || 'location' in globalThis)
  const url = isPath ? undefined : urlOf(address)
  if (!isPath && !/^https?:$/.test(url?.protocol ?? ''))
    throw new TidemarkError(`The base URL is not an http(s) address: '${address}'. Use ${defaultBaseUrl}.`)
  if (url?.username || url?.password)
    throw new TidemarkError('The base URL must not have a user or a password.')
  return address
}

/** Not every supported runtime has `URL.parse`. */
function urlOf(address: string): URL | undefined {
  try {
    return new URL(address)
  } catch {
    return undefined
  }
}

export class Tidemark {
  readonly #transport: Transport
  readonly #sites: ReturnType<typeof sitesOf>
  readonly crawls: ReturnType<typeof crawlsOf>
  readonly pages: ReturnType<typeof pagesOf>
  readonly batches: ReturnType<typeof batchesOf>
  readonly exports: ReturnType<typeof exportsOf>
  readonly monitors: ReturnType<typeof monitorsOf>
  readonly webhooks: ReturnType<typeof webhooksOf>
  readonly cloud: ReturnType<typeof cloudOf>
  readonly actors: ReturnType<typeof actorsOf>
  readonly account: ReturnType<typeof accountOf>
  readonly keys: ReturnType<typeof keysOf>

  constructor(options: TidemarkOptions = {}) {
    const transport = new Transport({
      apiKey: keyOf(options.apiKey || environment('TIDEMARK_API_KEY')),
      baseUrl: addressOf(options),
      maxRetries: options.maxRetries ?? 2,
      maxRetryAfter: options.maxRetryAfter ?? 60,
      timeout: options.timeout ?? 200_000,
      fetch: options.fetch ?? ((input, init) => globalThis.fetch(input, init)),
    })
    this.#transport = transport
    this.#sites = sitesOf(transport)
    this.crawls = crawlsOf(transport)
    this.pages = pagesOf(transport)
    this.batches = batchesOf(transport)
    this.exports = exportsOf(transport)
    this.monitors = monitorsOf(transport)
    this.webhooks = webhooksOf(transport)
    this.cloud = cloudOf(transport)
    this.actors = actorsOf(transport)
    this.account = accountOf(transport)
    this.keys = keysOf(transport)
  }

  /** Reads one page now. */
  scan(body: Body<'scanPage'>, options?: CallOptions) {
    return this.#sites.scan(body, options)
  }

  /** Reads up to 100 pages now, in the order of their URLs. A page that fails does not fail the others. */
  scanMany(body: Body<'scanPages'>, options?: CallOptions) {
    return this.#sites.scanMany(body, options)
  }

  /** Lists the URLs of a site without a crawl. */
  map(body: Body<'mapSite'>, options?: CallOptions) {
    return this.#sites.map(body, options)
  }

  /** Deletes what scans stored of a URL for `max_age_seconds`. */
  deleteScans(url: string, options?: CallOptions) {
    return this.#sites.deleteScans(url, options)
  }

  /** Reads the robots.txt of a site and its policy for AI bots. */
  robotsPolicy(url: string, options?: CallOptions & { user_agent?: string }) {
    return this.#sites.robotsPolicy(url, options)
  }

  /** Builds the llms.txt of a site. */
  llmsTxt(body: Body<'buildLlmsTxt'>, options?: CallOptions) {
    return this.#sites.llmsTxt(body, options)
  }

  /** Returns `ok` if the service runs. */
  health(options?: CallOptions) {
    return this.#sites.health(options)
  }

  /** Returns `ready` if every part of the service is available; otherwise throws a `NotReadyError`. */
  ready(options?: CallOptions) {
    return this.#sites.ready(options)
  }

  /**
   * Returns the response of any operation with its body not read: for CSV, NDJSON, images and files.
   *
   * @param accept the media type of the response
   */
  request(
    id: OperationId,
    args: Arguments = {},
    accept = '*/*',
    options: CallOptions = {},
  ): Promise<Response> {
    return this.#transport.open(id, args, optionsOf(this.#transport, id, options), accept)
  }
}
