/** What a render is asked for, and what it gives. */

/** How the browser shows itself, the same in headers and to scripts. */
export type Identity = {
  /** The browser's own, without the word Headless, unless told. */
  userAgent?: string
  /** Sent with every request of the page, to whomever: nothing secret. */
  headers?: Record<string, string>
  /** As `en-US`; becomes `Accept-Language` and `navigator.languages`. */
  locale: string
  viewport: { width: number; height: number }
  /** As `Europe/Berlin`. */
  timezone?: string
  colorScheme?: 'light' | 'dark'
}

/** Kinds of requests that can be left out. `xhr` and `fetch` are one: either name stops both. */
export const resourceKinds = ['image', 'media', 'font', 'stylesheet', 'script', 'xhr', 'fetch'] as const
export type ResourceKind = (typeof resourceKinds)[number]

export type WaitFor = 'load' | 'domcontentloaded' | 'networkidle'

export type RenderJob = {
  /** http or https. */
  url: string
  waitFor: WaitFor
  /** For everything, waiting for a free browser too. */
  timeoutMs: number
  /** Whether a PNG of the whole page is wanted. */
  picture: boolean
  /** A document that may only be the way to another: while it is, it is waited for to lead on, for so long at most. */
  mayLeadOn?: { is: (shown: { status: number; html: string }) => boolean; forMs: number }
  proxyLogin?: { username: string; password: string }
  identity: Identity
  /** What a request of the page itself carries beside: asked for each hop, so that a secret stays at its site. */
  headersFor?: (url: URL) => Record<string, string>
  /** As a browser has them that was there before; each goes to the host of its address alone. */
  cookies?: readonly { url: string; name: string; value: string }[]
  block?: readonly ResourceKind[]
  /** Of the document as it stands in the end, in UTF-8; more is `too_large`. */
  maxHtmlBytes: number
  /** Pixels of the picture; a longer page is cut at the bottom. */
  maxPicturePixels?: number
  /** CSS pixels; a longer page is cut at the bottom. */
  maxPictureHeight?: number
  /** Whose turn it is is shared out by this name. */
  who: string
  signal?: AbortSignal
}

export type Hop = { url: string; status: number }

export type Rendered = {
  /** Where the document came from in the end, after redirects and what scripts navigated to. */
  url: string
  status: number
  /** Of that document's answer, names in lower case. */
  headers: Record<string, string>
  /** The answers before the last, in order: redirects, and pages that led on by script or refresh. */
  hops: Hop[]
  /** The document as it stands, doctype included. Text, JSON and pictures are in the document that Chromium makes around them. */
  html: string
  /** PNG, or null where none was wanted. */
  picture: Buffer | null
  /** Whether the picture shows all of the page. */
  isPictureWhole: boolean
  /** Whether what was waited for came about; if not, this is what there was after a bounded wait. */
  isSettled: boolean
  /** Requests that the page made, and those of them that were not let through. */
  requests: { made: number; refused: number }
  /** Windows that the page opened, closed at once. */
  popups: number
}
