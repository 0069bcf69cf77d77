/** Defines the input and the result of a render. */

/** The identity of the browser, the same in headers and scripts. */
export type Identity = {
  /** Default: the browser's own, without the word Headless. */
  userAgent?: string
  /** Sent with every request of the page, to any host, so they must not be secret. */
  headers?: Record<string, string>
  /** Such as `en-US`; becomes `Accept-Language` and `navigator.languages`. */
  locale: string
  viewport: { width: number; height: number }
  /** IANA name, such as `Europe/Berlin`. */
  timezone?: string
  colorScheme?: 'light' | 'dark'
}

/** Kinds of requests to block. `xhr` and `fetch` are the same kind. */
export const resourceKinds = ['image', 'media', 'font', 'stylesheet', 'script', 'xhr', 'fetch'] as const
export type ResourceKind = (typeof resourceKinds)[number]

export type WaitFor = 'load' | 'domcontentloaded' | 'networkidle'

/** Selectors are CSS, and the first matching element counts. */
export type PageAction =
  | { type: 'goto'; url: string }
  | { type: 'click'; selector: string }
  | { type: 'fill'; selector: string; value: string }
  | { type: 'press'; key: string; selector?: string }
  | { type: 'wait_for'; selector: string }
  | { type: 'wait'; ms: number }
  | { type: 'screenshot' }

export type RenderJob = {
  /** http or https. */
  url: string
  waitFor: WaitFor
  /** Milliseconds for the whole job, including the wait for a browser. */
  timeoutMs: number
  /** Whether to take a PNG of the whole page. */
  picture: boolean
  /**
   * Returns how many milliseconds, from the first document on, to wait at most for the page to navigate to another
   * document; 0 for a final page. Called again every half second while the document stays.
   */
  mayLeadOn?: (shown: Shown) => number | Promise<number>
  /** Actions on the loaded page before it is read. A job with actions is not repeated after a crash. */
  actions?: readonly PageAction[]
  /**
   * The actions are a login: the result has the cookies of the browser, and the error of a failed action describes the
   * page. `list` and `first` name the actions in errors: that of the first is `list[first]`.
   */
  login?: { list: string; first: number }
  proxyLogin?: { username: string; password: string }
  identity: Identity
  /**
   * Additional headers of a request by the page itself. Called for each hop, so that a secret stays at its site.
   * `isMain`: the request is for the document of the page, not for a frame or a resource.
   */
  headersFor?: (url: URL, isMain: boolean) => Readonly<Record<string, string>>
  /** Cookies of earlier visits. One with a URL is sent to the host of its URL only. */
  cookies?: readonly ({ url: string; name: string; value: string } | StoredCookie)[]
  block?: readonly ResourceKind[]
  /** Maximum number of requests, after which the page is read as it is; default 1,500. */
  maxRequests?: number
  /** Maximum bytes of the final document in UTF-8. Larger documents fail as `too_large`. */
  maxHtmlBytes: number
  /** Maximum pixels of the screenshot; longer pages are cut at the bottom. */
  maxPicturePixels?: number
  /** Maximum height of the screenshot in CSS pixels; longer pages are cut at the bottom. */
  maxPictureHeight?: number
  /** Name of the client. Clients share the slots fairly. */
  client: string
  signal?: AbortSignal
}

/** A cookie with all its rules. */
export type StoredCookie = {
  name: string
  value: string
  /** The host, or with a leading dot the domain of all hosts that receive it. */
  domain: string
  path: string
  /** Seconds since 1970; -1: with the session. */
  expires: number
  httpOnly: boolean
  secure: boolean
  sameSite: 'Strict' | 'Lax' | 'None'
}

/** The current document. */
export type Shown = {
  status: number
  /** Lower-case names. */
  headers: Record<string, string>
  /** The document as it is now, after scripts have changed it. */
  html: string
  /** Resolves to the source as served, or empty if the browser has dropped it. */
  served: () => Promise<string>
}

export type Hop = { url: string; status: number }

export type Rendered = {
  /** The final URL, after redirects and navigation by scripts. */
  url: string
  status: number
  /** Headers of the response with the final document, with lower-case names. */
  headers: Record<string, string>
  /** Earlier responses in order: redirects, and pages that navigated by script or refresh. */
  hops: Hop[]
  /** The final document with its doctype. Text, JSON and images are in the document that Chromium creates for them. */
  html: string
  /** PNG, or null if not requested. */
  picture: Buffer | null
  /** The heights of a cut screenshot and of its page in CSS pixels; null: the screenshot shows the whole page. */
  pictureCut: { height: number; pageHeight: number } | null
  /**
   * The state that the page had not reached when its bounded wait ended; null: it reached the awaited one. A page for
   * `networkidle` that had not loaded either has `load`.
   */
  unreached: WaitFor | null
  /** Number of requests of the page, and of blocked ones. */
  requests: { made: number; refused: number }
  /** Maximum number of requests, if the page exceeded it and was stopped; else null. */
  exceededRequests: number | null
  /** Windows that the page opened, which are closed at once. */
  popups: number
  /** The cookies of the browser after a login. */
  cookies?: StoredCookie[]
}
