/** Generated from the OpenAPI document by test/client-types.ts (`npm run docs`): do not edit. */
/* biome-ignore-all format: the generator lays it out */

/** A response with warnings. */
export type Warned = {
  /** Settings that were ignored or could not be applied, one sentence each; absent if empty. */
  warnings?: string[]
}

/** The error and its reason. */
export type Refusal = {
  /** Stable code from a closed list. */
  code: string
  /** Message for people: the problem and the remedy. */
  message: string
  /** Seconds to wait before a retry. Also in Retry-After. */
  retry_after_seconds?: number
  /** Stable sub-code. */
  reason?: string
  /** The request field that caused the error. */
  field?: string
  /** The crawl that was started. It may continue. */
  run_id?: number
  /** Id of this request for support. Also in X-Request-Id. */
  request_id?: string
}

/** One dependency. */
export type Check = {
  /** Whether the check passes. */
  status: 'pass' | 'fail'
  /** Duration of the check in milliseconds. */
  observed_ms?: number
  /** Seconds since the oldest of the latest heartbeats; null: a service has sent none. */
  age_seconds?: number | null
  /** Maximum age in seconds. */
  max_age_seconds?: number
  /** Services without a recent heartbeat. */
  missing?: string[]
  /** Streams without capacity for the next message. */
  full?: string[]
  /** The reason for the failure; for a passing check, a problem to examine. */
  cause?: string
}

export type NotReady = {
  /** Always this value; the other response is 200. */
  status: 'fail'
  error: Refusal
  /** Each check, whether it passes or fails. */
  checks: {
    database: Check
    worker_heartbeat: Check
    event_stream: Check
  }
}

export type Signup = {
  /** Name of the project: 1 to 64 letters, digits, "_" and "-". */
  project_name: string
  /** Mail address that receives the key. */
  email: string
  /** free is created at once; the other tiers after a checkout. */
  tier?: 'free' | 'pro' | 'agency' | 'studio'
  /** Response token of the captcha. Required if the installation uses one. */
  turnstile_token?: string
}

export type SignedUp = Warned & {
  /** created: the project exists, with its key. checkout_required: it is created when the checkout is paid. */
  status: 'created' | 'checkout_required'
  /** Only for a free project. */
  project_id?: number
  /** The requested name. */
  project_name: string
  /** The requested tier. */
  tier: 'free' | 'pro' | 'agency' | 'studio'
  /** The secret of the key, shown only once; null until the checkout is paid. */
  api_key: string | null
  /** The first 12 characters of the key. */
  prefix?: string
  /** Name of the key. */
  label?: string
  /** Only for a free project. */
  email?: string
  /** Whether the key is also sent by mail; false: this installation has no mail server. */
  email_sent?: boolean
  /** For `GET /v1/billing/checkout`; null: the project is free. */
  intent_id: number | null
  /** Address of the checkout page, for a browser; null: the project is free. */
  checkout_url: string | null
  /** Test mode without payments: this installation has no payment provider. */
  mock?: boolean
}

export type Checkout = Warned & {
  /** Address of the checkout page, for a browser. */
  checkout_url: string
  /** Test mode without payments: this installation has no payment provider. */
  mock: boolean
  /** The requested intent. */
  intent_id: number
  /** The tier that is bought. */
  tier: 'free' | 'pro' | 'agency' | 'studio'
}

export type PaymentEvent = {
  /** Id of the event. The same event may arrive again. */
  id?: string
  /** Type of the event. */
  type: string
  /** The object of the event. */
  data?: {
    /** For `checkout.session.completed`: the session. */
    object?: Record<string, unknown>
  }
}

export type PaymentTaken = {
  /** The intent is paid, by this event or an earlier one. */
  received?: boolean
  /** The intent that is paid. */
  intent_id?: number
  /** The type of an event that changes nothing. */
  ignored?: string
  /** The reason, for a `checkout.session.completed`: unpaid, unknown_intent or other_session. */
  reason?: string
}

export type EvidenceKeys = Warned & {
  /** The current key first, then former ones. Empty: this installation signs no evidence. */
  keys: Array<{
    /** Kind of the key. */
    kty: 'OKP'
    /** Curve of the key. */
    crv: 'Ed25519'
    /** The 32 bytes of the public key, in base64url. */
    x: string
    /** The thumbprint of the key (RFC 7638), which evidence names as key_id. */
    kid: string
    /** The key verifies signatures. */
    use: 'sig'
    /** The same public key as PEM, for OpenSSL. */
    pem: string
  }>
}

export type PageAction = {
  /** goto: opens `url`. click: clicks the element. fill: sets the value of the field to `value`. press: presses `key`, in the element if there is a `selector`. wait_for: waits until the element is visible, or for `ms`. screenshot: takes the screenshot now instead of after the last action. */
  type: 'goto' | 'click' | 'fill' | 'press' | 'wait_for' | 'screenshot'
  /** A CSS selector. The first matching element counts. */
  selector?: string
  /** The value for fill. */
  value?: string
  /** The key for press, by its name in `KeyboardEvent.key`, such as Enter or Control+a. */
  key?: string
  /** The address for goto, on the host of the page, absolute or relative to its URL. */
  url?: string
  /** For wait_for without a selector: how long to wait, in milliseconds. */
  ms?: number
}

/** The signs of having been logged out, at least one. The first page with a sign ends the crawl. */
export type LoggedOutSigns = {
  /** A CSS selector of an element that only logged-out visitors see, such as the login form. */
  selector?: string
  /** The address to which logged-out visitors are redirected, absolute or relative to url. Its query does not count. */
  redirect?: string
  /** The status that logged-out visitors get. */
  status?: number
}

/** Logs in with a browser before the first page. The cookies are kept encrypted until the crawl ends, and sent only to hosts of the crawl. If the login fails, the crawl fails with error_reason login_failed; if it is lost later, with logged_out. Not with a proxy. */
export type CrawlLogin = {
  /** The steps in the browser: goto, fill, click, press and wait_for. The last one is a wait_for with a selector that only logged-in visitors see. Values are encrypted, and no response contains them. */
  steps: PageAction[]
  logged_out: LoggedOutSigns
}

export type CrawlRequest = {
  /** The URL where the crawl starts; http:// or https://. */
  url: string
  /** Maximum number of pages. The crawl ends when it has that many. */
  max_pages?: number
  /** Maximum cost in US dollars: the crawl never bills more. It must cover at least one page: a page costs 0.001, a rendered page 0.01. Each page in flight reserves its price, with render its highest one. When the remaining amount does not cover another page, the crawl ends with stop_reason max_cost_usd. */
  max_cost_usd?: number
  /** Maximum bytes of all pages together, each with the size of its decoded body. Pages that the site did not send again (304) count nothing, nor do robots.txt, sitemaps and failed requests. Each page in flight reserves bytes. When a page does not fit into the rest, the crawl ends with stop_reason max_bytes. */
  max_bytes?: number
  /** Maximum number of links from the seed to a page. */
  depth?: number
  /** Concurrent requests; automatic by default. Values above 64 are capped at 64. */
  concurrency?: number
  /** Milliseconds between requests to one host. */
  delay_ms?: number
  /** Follow subdomains of the seed's host. */
  subdomains?: boolean
  /** Obey robots.txt, including Crawl-delay. */
  respect_robots?: boolean
  /** Store bodies. Without them, pages have no html, markdown or articles. */
  store_html?: boolean
  /** Headers of every request to the seed's site. They are never sent to other sites. The product token of a User-Agent among them is public: robots.txt of the seed's site is matched by it, and GET /v1/crawls/{id}/policy returns it. */
  headers?: Record<string, string>
  /** Cookies for the seed's site, as "k=v; k=v". */
  cookies?: string
  /** Receives a webhook when the crawl ends as done or failed. */
  webhook_url?: string
  /** The events to send. crawl.started, page.fetched (in batches of at most 100 pages) and crawl.failed are sent beside the webhook of the end. */
  webhook_events?: Array<'crawl.done' | 'crawl.diff_detected' | 'crawl.started' | 'page.fetched' | 'crawl.failed'>
  /** Monitors only: send no webhook if no page has changed. */
  return_only_changed?: boolean
  /** User-Agent of the crawl; robots.txt is then matched by its product token. If it is left out or begins with InternalCrawler/, the crawl uses the User-Agent of a browser. */
  user_agent?: string
  /** http://, https:// or socks5://, with user:password@ if needed. */
  proxy_url?: string
  /** A proxy pool of the service. proxy_url takes precedence. */
  proxy_pool?: 'datacenter' | 'isp' | 'residential' | 'mobile'
  /** ISO 3166-1 alpha-2, such as DE; only with proxy_pool. */
  proxy_country?: string
  /** Follow links from url, or crawl the URLs of its sitemap (an origin means /sitemap.xml). */
  seed_kind?: 'url' | 'sitemap'
  /** Further URLs to crawl besides url, each of the same site as url, together at most 2,000,000 characters. They come before URLs that pages link to, and trap guards do not exclude them. Not with seed_kind sitemap. */
  urls?: string[]
  /** False: crawl only url and urls, and follow no links. Redirects are followed. */
  follow_links?: boolean
  /** RE2 patterns, searched in path and query: only URLs that match one are crawled. They share one complexity budget with exclude_paths: patterns that exceed it together are rejected (bad_regex), and a crawl that spends too much time on them ends with stop_reason pattern_time. */
  include_paths?: string[]
  /** RE2 patterns: URLs that match one are skipped, even if include_paths matches. */
  exclude_paths?: string[]
  /** CSS selectors of elements that do not count when pages are compared: clocks, advertisements, counters. They apply to the comparison of crawls, to monitors and to the comparison by lines. Stored pages and content_hash stay as they are. */
  ignore_selectors?: string[]
  /** CSS selectors: if there are any, only these elements count when pages are compared, without title and metadata. */
  only_selectors?: string[]
  /** RE2 patterns: the parts of each line of text, link and statement that match do not count when pages are compared. They share the complexity budget of include_paths and exclude_paths (bad_regex). */
  ignore_text?: string[]
  /** A page counts as changed only if at least this many words of its text were added or removed; a replaced word counts once. Needs stored bodies. A different status always counts. */
  min_changed_words?: number
  /** Return an earlier crawl of the same URL and settings if it ended as done within this number of seconds. delay_ms, concurrency and the webhook fields may differ, as they do not affect the result. An earlier crawl that is returned sends no webhook. */
  max_age_seconds?: number
  /** Agency tier and above: delay_ms 0, concurrency 32, respect_robots false. Not with cron. */
  aggressive?: boolean
  /** Skip URLs that look like part of an endless series, such as a calendar. */
  trap_guards?: boolean
  /** Run scripts: auto renders pages that are empty without scripts, always renders every page. A rendered page costs one cloud page instead of one page. Not with a proxy. */
  render?: 'none' | 'auto' | 'always'
  /** Store a screenshot of each rendered page, for GET /v1/pages/{id}/screenshot. It needs render, and adds nothing to the price of a rendered page. */
  screenshots?: boolean
  login?: CrawlLogin
  /** Monitors only: send conditional requests (ETag, Last-Modified) based on the previous crawl. False fetches all pages each time. */
  conditional?: boolean
  /** Creates a monitor: five fields of crontab(5), in the local time of timezone. */
  cron?: string
  /** Monitors only: the change to wait for. The language model of this installation judges the changes of each crawl by it, and the webhook has the judgement as `intent`. Requires the consent of the project (`PUT /v1/model-consent`). */
  intent?: string
  /** Monitors with intent: no webhook if nothing has changed, or if the changes do not match. It is still sent if that is unknown. */
  only_matching?: boolean
  /** Monitors only: IANA time zone of cron, such as Europe/Berlin; UTC by default. When the clock changes, no due time is left out and none is due twice: a skipped time is due one hour later, a repeated one the first time. */
  timezone?: string
}

export type MonitorAccepted = Warned & {
  /** The id of the monitor: change or delete it at /v1/crons/{monitor_id}. */
  monitor_id: number
  /** Five fields of crontab(5), in the local time of timezone. */
  schedule: string
  /** IANA time zone of the schedule. */
  timezone: string
  /** Time of its first crawl. */
  next_fires_at: string | null
  /** The URL where its crawls start. */
  url: string
  /** The next step, for people. */
  info: string
}

export type CrawlAccepted = {
  /** The id of the crawl: read it at /v1/crawls/{id}. */
  id: number
  /** queued → running → done | failed | cancelled. Only retry-failed leads from done or failed back to running. */
  status: 'queued' | 'running' | 'done' | 'failed' | 'cancelled'
  /** The seed URL. */
  url: string
  /** Time at which the crawl was accepted. */
  enqueued_at: string
  /** True: max_age_seconds found this earlier crawl, and nothing is billed. */
  reused?: boolean
  /** Settings of the request that were ignored, and the reason. */
  warnings?: string[]
}

export type Run = Warned & {
  /** The crawl. */
  id: number
  /** The seed URL. */
  url: string
  /** queued → running → done | failed | cancelled. Only retry-failed leads from done or failed back to running. */
  status: 'queued' | 'running' | 'done' | 'failed' | 'cancelled'
  /** Pages of the crawl, whatever their HTTP status. */
  page_count: number
  /** Failed URLs, such as DNS, TLS or a timeout. A 404 never counts. */
  error_count: number
  /** Time at which the crawl was accepted. */
  enqueued_at: string
  /** Time of the order for its first URL; null: not ordered yet. */
  started_at: string | null
  /** Time at which the client paused it; null: not paused. The status stays running. */
  paused_at?: string | null
  /** Time of its end; null: not ended yet. */
  finished_at: string | null
  /** Why it failed; null: it did not fail. */
  error_message: string | null
  /** The reason for the failure as a stable code: robots_disallowed, robots_unreachable, dns, connect, tls, timeout, proxy, protocol, too_large, too_many_redirects, private_address, blocked_domain, sitemap, empty_sitemap, login_failed, logged_out, time_limit and others. Null: the crawl did not fail. */
  error_reason?: string | null
  /** Reason for the end: exhausted, max_pages, depth, max_cost_usd, max_bytes, quota, time_limit, pattern_time (its patterns took too long), cancelled or failed; null: not ended yet. */
  stop_reason: string | null
  /** The proxy of the crawl, without its password; null: no proxy. */
  proxy_url: string | null
  /** The rules for AI bots in the robots.txt of the seed: allowed, disallowed, partial or unspecified. Null until it is read, and in lists of crawls without `fields=ai_bot_policy`. */
  ai_bot_policy: Record<string, string> | null
  /** The llms.txt of the site, up to 64 KiB; null: it has none, or in lists of crawls. */
  llms_txt: string | null
  /** Like llms_txt. */
  llms_full_txt: string | null
  /** pending, delivered, dead, suppressed_no_change, suppressed_no_baseline or suppressed_no_match; null: no webhook, or the crawl has not ended. */
  webhook_status: string | null
  /** Number of attempts to deliver the webhook. */
  webhook_attempts: number
  /** Reason why its last attempt failed; null: it did not fail. */
  webhook_last_error: string | null
  /** For a monitor: the previous crawl; null: none. */
  previous_run_id: number | null
  /** The crawl that this one forks, and whose pages it takes from the store; null: none. */
  forked_from?: number | null
  /** Pages that were taken from the forked crawl. They are not fetched and cost nothing. */
  pages_reused?: number
}

export type RunList = Warned & {
  /** Newest first. */
  items: Run[]
  /** Offset of the next part; null: this is the last part. */
  next_offset: number | null
}

export type ForkRequest = {
  /** Maximum number of pages. The crawl ends when it has that many. */
  max_pages?: number
  /** Maximum cost in US dollars: the crawl never bills more. It must cover at least one page: a page costs 0.001, a rendered page 0.01. Each page in flight reserves its price, with render its highest one. When the remaining amount does not cover another page, the crawl ends with stop_reason max_cost_usd. null: none. */
  max_cost_usd?: number | null
  /** Maximum bytes of all pages together, each with the size of its decoded body. Pages that the site did not send again (304) count nothing, nor do robots.txt, sitemaps and failed requests. Each page in flight reserves bytes. When a page does not fit into the rest, the crawl ends with stop_reason max_bytes. null: none. */
  max_bytes?: number | null
  /** Maximum number of links from the seed to a page. */
  depth?: number
  /** Concurrent requests; automatic by default. Values above 64 are capped at 64. null: none. */
  concurrency?: number | null
  /** Milliseconds between requests to one host. */
  delay_ms?: number
  /** Follow subdomains of the seed's host. */
  subdomains?: boolean
  /** Further URLs to crawl besides url, each of the same site as url, together at most 2,000,000 characters. They come before URLs that pages link to, and trap guards do not exclude them. Not with seed_kind sitemap. */
  urls?: string[]
  /** False: crawl only url and urls, and follow no links. Redirects are followed. */
  follow_links?: boolean
  /** RE2 patterns, searched in path and query: only URLs that match one are crawled. They share one complexity budget with exclude_paths: patterns that exceed it together are rejected (bad_regex), and a crawl that spends too much time on them ends with stop_reason pattern_time. */
  include_paths?: string[]
  /** RE2 patterns: URLs that match one are skipped, even if include_paths matches. */
  exclude_paths?: string[]
  /** Skip URLs that look like part of an endless series, such as a calendar. */
  trap_guards?: boolean
  /** CSS selectors of elements that do not count when pages are compared: clocks, advertisements, counters. They apply to the comparison of crawls, to monitors and to the comparison by lines. Stored pages and content_hash stay as they are. */
  ignore_selectors?: string[]
  /** CSS selectors: if there are any, only these elements count when pages are compared, without title and metadata. */
  only_selectors?: string[]
  /** RE2 patterns: the parts of each line of text, link and statement that match do not count when pages are compared. They share the complexity budget of include_paths and exclude_paths (bad_regex). */
  ignore_text?: string[]
  /** A page counts as changed only if at least this many words of its text were added or removed; a replaced word counts once. Needs stored bodies. A different status always counts. null: none. */
  min_changed_words?: number | null
  /** Receives a webhook when the crawl ends as done or failed. null: none. */
  webhook_url?: string | null
  /** The events to send. crawl.started, page.fetched (in batches of at most 100 pages) and crawl.failed are sent beside the webhook of the end. */
  webhook_events?: Array<'crawl.done' | 'crawl.diff_detected' | 'crawl.started' | 'page.fetched' | 'crawl.failed'>
}

export type RetriedRun = Warned & {
  /** The crawl. */
  id: number
  /** The seed URL. */
  url: string
  /** queued → running → done | failed | cancelled. Only retry-failed leads from done or failed back to running. */
  status: 'queued' | 'running' | 'done' | 'failed' | 'cancelled'
  /** Pages of the crawl, whatever their HTTP status. */
  page_count: number
  /** Failed URLs, such as DNS, TLS or a timeout. A 404 never counts. */
  error_count: number
  /** Time at which the crawl was accepted. */
  enqueued_at: string
  /** Time of the order for its first URL; null: not ordered yet. */
  started_at: string | null
  /** Time at which the client paused it; null: not paused. The status stays running. */
  paused_at?: string | null
  /** Time of its end; null: not ended yet. */
  finished_at: string | null
  /** Why it failed; null: it did not fail. */
  error_message: string | null
  /** The reason for the failure as a stable code: robots_disallowed, robots_unreachable, dns, connect, tls, timeout, proxy, protocol, too_large, too_many_redirects, private_address, blocked_domain, sitemap, empty_sitemap, login_failed, logged_out, time_limit and others. Null: the crawl did not fail. */
  error_reason?: string | null
  /** Reason for the end: exhausted, max_pages, depth, max_cost_usd, max_bytes, quota, time_limit, pattern_time (its patterns took too long), cancelled or failed; null: not ended yet. */
  stop_reason: string | null
  /** The proxy of the crawl, without its password; null: no proxy. */
  proxy_url: string | null
  /** The rules for AI bots in the robots.txt of the seed: allowed, disallowed, partial or unspecified. Null until it is read, and in lists of crawls without `fields=ai_bot_policy`. */
  ai_bot_policy: Record<string, string> | null
  /** The llms.txt of the site, up to 64 KiB; null: it has none, or in lists of crawls. */
  llms_txt: string | null
  /** Like llms_txt. */
  llms_full_txt: string | null
  /** pending, delivered, dead, suppressed_no_change, suppressed_no_baseline or suppressed_no_match; null: no webhook, or the crawl has not ended. */
  webhook_status: string | null
  /** Number of attempts to deliver the webhook. */
  webhook_attempts: number
  /** Reason why its last attempt failed; null: it did not fail. */
  webhook_last_error: string | null
  /** For a monitor: the previous crawl; null: none. */
  previous_run_id: number | null
  /** The crawl that this one forks, and whose pages it takes from the store; null: none. */
  forked_from?: number | null
  /** Pages that were taken from the forked crawl. They are not fetched and cost nothing. */
  pages_reused?: number
  /** Number of failed URLs and sitemaps that are fetched again. */
  retried_urls: number
}

/** URLs that rules exclude. */
export type SkippedUrls = {
  /** Total. */
  total: number
  /** By the rule that excludes them. */
  by_reason: {
    /** robots.txt forbids it. */
    robots: number
    /** robots.txt could not be fetched, so the whole site is disallowed. */
    robots_unreachable: number
    /** It redirects to another site. */
    redirect_out_of_scope: number
    /** One of exclude_paths matches. */
    excluded: number
    /** None of include_paths matches. */
    not_included: number
    /** The URL looks like part of an endless series, by trap rule. */
    trap: {
      /** The path repeats the same segments. */
      path_repetition: number
      /** The path is too deep. */
      path_depth: number
      /** The URL looks like another day of an endless calendar. */
      calendar: number
      /** The query is too large, reorders the query of an admitted URL, or recombines known values. */
      parameters: number
      /** The URL differs from a known URL only by a session id. */
      session_id: number
      /** Nearly all recent pages of this shape or branch had equal content or layout. */
      equal_content: number
    }
  }
}

/** URLs that a limit prevents from being fetched. */
export type NotReachedUrls = {
  /** Total. */
  total: number
  /** By the limit. */
  by_limit: {
    /** The max_pages of the request. */
    max_pages: number
    /** The depth of the request. */
    depth: number
    /** The max_cost_usd of the request. */
    max_cost_usd: number
    /** The max_bytes of the request. */
    max_bytes: number
    /** The caps of the project. */
    quota: number
    /** The crawl was cancelled before the URL was fetched. */
    cancelled: number
    /** The time limit of the crawl was reached before the URL was fetched. */
    time_limit: number
    /** The login of the crawl failed, or was lost before the URL was fetched. */
    failed: number
    /** The time for include_paths and exclude_paths was used up before the URL was judged. */
    pattern_time: number
  }
}

export type Coverage = Warned & {
  /** The crawl. */
  run_id: number
  /** queued → running → done | failed | cancelled. Only retry-failed leads from done or failed back to running. */
  status: 'queued' | 'running' | 'done' | 'failed' | 'cancelled'
  /** Time at which the client paused it; null: not paused. */
  paused_at?: string | null
  /** Reason for the end; null: not ended yet. */
  stop_reason: 'exhausted' | 'max_pages' | 'depth' | 'max_cost_usd' | 'max_bytes' | 'quota' | 'time_limit' | 'pattern_time' | 'cancelled' | 'failed' | null
  /** The reason for the failure in words; null: the crawl did not fail. */
  error_message?: string | null
  /** The reason for the failure as a stable code: robots_disallowed, robots_unreachable, dns, connect, tls, timeout, proxy, protocol, too_large, too_many_redirects, private_address, blocked_domain, sitemap, empty_sitemap, login_failed, logged_out, time_limit and others. Null: the crawl did not fail. */
  error_reason?: string | null
  /** The position of the last event of the crawl that is counted here. */
  position: number
  /** fetched + failed + skipped + duplicate + not_reached + pending, at every moment. */
  discovered: number
  /** URLs that are pages. */
  fetched: number
  /** For a monitor: responses with 304, by ETag or Last-Modified. */
  not_modified: {
    /** Pages that the site reported as unchanged and did not send again. */
    pages: number
    /** Bytes of the bodies that were not sent again, counted as transferred by the earlier crawl. */
    bytes_saved: number
  }
  /** For a fork: pages that were taken from the forked crawl without a request. */
  pages_reused?: number
  /** URLs that got no HTTP response; GET …/errors lists them. */
  failed: {
    /** Total. */
    total: number
    /** By reason, such as dns, connect or timeout. */
    by_reason: Record<string, number>
  }
  skipped: SkippedUrls
  /** URLs that lead to a page of the crawl under another URL. */
  duplicate: number
  not_reached: NotReachedUrls
  /** URLs that are waiting to be fetched, or are listed in urls and not judged yet. */
  pending: number
  /** The budget of the request and its use; null: it sets none. */
  budget?: {
    /** The max_cost_usd of the request; null: none. */
    max_cost_usd: number | null
    /** Price of the pages in US dollars, as billed; null without max_cost_usd. */
    cost_usd: number | null
    /** The max_bytes of the request; null: none. */
    max_bytes: number | null
    /** Bytes of the pages; null without max_bytes. */
    bytes: number | null
  } | null
  /** Sitemaps of the crawl. */
  sitemaps: {
    /** Sitemaps that were read. */
    read: number
    /** Sitemaps that could not be fetched. */
    failed: number
    /** Sitemaps that were read only in part. */
    cut: number
  }
  /** Whether the crawl has reached its maximum number of known URLs. URLs found after that were not judged. */
  frontier_full: boolean
  /** Whether the counts add up. Always true. */
  holds: boolean
}

export type RunError = {
  /** The URL in normal form. */
  url: string
  /** Such as dns, connect, tls, timeout or too_large. */
  reason: string
  /** The reason in words. */
  sentence: string
  /** Number of attempts. For a seed whose robots.txt could not be fetched: attempts for robots.txt. */
  attempts: number
  /** Time of the failure. */
  at: string
  /** The page with the link to the URL; null: the seed, or a sitemap lists it. */
  found_from: string | null
}

export type RunErrorList = Warned & {
  /** In the order of the failures. */
  items: RunError[]
  /** Offset of the next part; null: this is the last part. */
  next_offset: number | null
}

export type RuleAnswer = {
  /** Name of the rule. */
  rule: 'scope' | 'known' | 'frontier' | 'trap' | 'patterns' | 'depth' | 'robots' | 'max_pages' | 'redirect' | 'found'
  /** False: this rule excluded the URL. */
  passed: boolean
  /** The line, pattern or numbers that decided. */
  because: string
}

export type UrlAttempt = {
  /** Counted from 1. */
  attempt: number
  /** The target of the attempt: the robots.txt of the site, without which the URL is not requested. Absent: the URL itself. */
  of?: 'robots.txt'
  /** The fetcher: a plain client, or a browser that runs scripts. store: the forked crawl has the page, so nothing is fetched. */
  by: 'http' | 'browser' | 'store'
  /** Time of the order. */
  ordered_at: string | null
  /** Time of the outcome; null: still under way. */
  ended_at: string | null
  /** The outcome of the request. */
  outcome: 'fetched' | 'redirected' | 'failed' | 'retried' | 'skipped' | 'pending'
  /** Reason, such as timeout. script_only: the page is empty without its scripts, and a browser retries it. http_500 and the like: the site returned a server error, and the URL is retried once at the end of the crawl. Null: no error. */
  reason: string | null
  /** Earliest time of the next attempt. */
  not_before: string | null
}

export type Explanation = Warned & {
  /** The URL in normal form. */
  url: string
  /** Key of the URL within the crawl. */
  key: string
  /** Outcome of the URL. */
  verdict: 'fetched' | 'failed' | 'skipped' | 'duplicate' | 'not_reached' | 'pending' | 'never_seen'
  /** How the crawl found the URL; null: no event of the crawl names it, such as a URL out of scope. */
  found: {
    /** Null: the seed, or urls or a sitemap lists it. */
    from_url: string | null
    /** Text of the first link to it on that page. */
    anchor: string | null
    /** Number of links from the seed to the page. */
    depth: number | null
    /** Time of the discovery. */
    at: string
    /** Position of the event of the crawl that records it. */
    sequence: number
  } | null
  /** In the order of evaluation. */
  rules: RuleAnswer[]
  /** Every attempt to fetch the URL. */
  attempts: UrlAttempt[]
  /** The redirects that lead to this URL and from it, in order. */
  redirects: Array<{
    /** The address that redirects. */
    from: string
    /** The target of the redirect. */
    to: string
    /** Time of the redirect. */
    at: string
  }>
  /** The URL at the end of its redirects, which has the page if there is one; null: the URL is not a duplicate. */
  duplicate_of: string | null
  /** The page of the URL; null: none. */
  page_id: number | null
  /** The trace of the crawl; absent: the crawl has none. */
  trace_id?: string
  /** Changes that lift the deciding rule. Later rules may still exclude the URL. */
  what_would_change: string[]
}

/** Estimated number of pages, between two bounds. */
export type PageRange = {
  /** Lower bound of the number of pages. */
  low: number
  /** Upper bound of the number of pages. */
  high: number
}

export type CrawlEstimate = Warned & {
  /** The URL where the crawl would start. */
  url: string
  pages: PageRange
  /** Delays only: one page every max(delay_ms, Crawl-delay). */
  seconds_at_polite_rate: {
    /** Seconds for the lower bound. */
    low: number
    /** Seconds for the upper bound. */
    high: number
  }
  /** Expected cost. cloud_pages is absent with `render: none`. */
  cost: {
    pages: PageRange
    cloud_pages?: PageRange
    /** Expected cost at the prices of max_cost_usd. */
    usd: {
      /** Lower bound in US dollars. */
      low: number
      /** Upper bound in US dollars, at most max_cost_usd. */
      high: number
    }
  }
  /** Up to 20 URLs that would be crawled. */
  in: string[]
  /** Up to 20 URLs that would not be crawled, each with its rule. */
  out: Array<{
    /** The URL in normal form. */
    url: string
    /** robots, robots_unreachable, exclude, include, max_pages, depth, or the name of a trap rule. */
    rule: string
    /** The line, pattern or numbers that decided. */
    because: string | null
  }>
  /** Basis of the estimate. */
  basis: {
    /** Basis of `pages`. last_run: the latest crawl of the URL, which read all pages, with the same `seed_kind`, `follow_links`, `urls`, patterns, `subdomains` and `depth`. urls: the crawl follows no links. */
    by: 'last_run' | 'sitemaps' | 'links' | 'urls'
    /** URLs that the site lists itself, all of them judged. */
    listed: number
    /** Number of these URLs that would be crawled. */
    would_be_crawled: number
    /** Whether the site lists, or may list, more URLs. */
    truncated: boolean
    /** The last crawl of this URL that is done; null: none. */
    last_run: {
      /** The crawl. */
      id: number
      /** Number of its pages. */
      pages: number
      /** Duration in seconds; null: unknown. */
      seconds: number | null
      /** Reason for the end. */
      stop_reason: string | null
    } | null
  }
}

export type LlmsTxtRequest = {
  /** The home page of the site, or of a section of it. */
  url: string
  /** Number of pages to crawl. */
  max_pages?: number
  /** The heading. Default: the name that the site gives itself. */
  site_name?: string
  /** The summary below the heading. */
  summary?: string
  /** Maximum time to wait for the crawl. If it takes longer, the response is 408 with the id of the crawl, which continues. */
  wait_seconds?: number
  /** The response: llms_txt or llms_full_txt as text, or json with both texts and a report of the pages that were left out. */
  format?: 'llms_txt' | 'llms_full_txt' | 'json'
  /** Maximum number of tokens of llms-full.txt, estimated as one per four bytes of UTF-8. Optional pages are the first to be left out. */
  max_tokens?: number
}

export type LlmsTxtBuild = Warned & {
  /** The crawl that was started. */
  run_id: number
  /** The llms.txt. */
  llms_txt: string
  /** The llms-full.txt: the main content of the listed pages. */
  llms_full_txt: string
  /** The extent of both texts. */
  report: {
    /** Number of listed pages. */
    listed: number
    /** Pages of the crawl that are not listed. */
    left_out: Array<{
      /** URL of the page, after redirects. */
      url: string
      /** The reason as a stable code. */
      reason: 'login' | 'account' | 'search' | 'tags' | 'print' | 'pagination' | 'noindex' | 'duplicate' | 'http_error' | 'challenge' | 'not_html'
      /** The reason in words. */
      sentence: string
    }>
    /** The extent of llms_full_txt. */
    full: {
      /** Estimated tokens of llms_full_txt. */
      tokens: number
      /** The limit. */
      max_tokens: number
      /** Number of pages with their content. */
      pages: number
      /** The page whose content is cut at the limit; null: none. */
      cut: string | null
      /** Listed pages beyond the limit, or without readable content. */
      missing: string[]
    }
  }
}

export type Monitor = Warned & {
  /** The monitor. */
  id: number
  /** Five fields of crontab(5), in the local time of timezone. */
  schedule: string
  /** IANA time zone of the schedule. */
  timezone: string
  /** The URL where its crawls start. */
  url: string
  /** False: the monitor starts no crawls until it is enabled again. */
  enabled: boolean
  /** Time of its latest crawl; null: none yet. */
  last_fired_at: string | null
  /** Time of its next crawl; null: the monitor is not enabled. */
  next_fires_at: string | null
  /** Its latest crawl; null: none yet. */
  last_run_id: number | null
  /** Status of its latest crawl that has ended: done, failed or cancelled; null: none has ended yet. */
  last_status: string | null
  /** Number of consecutive scheduled times, up to the latest, whose crawl failed or could not start. A crawl that is done resets it to 0. Times that were skipped because a crawl of the monitor was still running do not count. */
  consecutive_failures: number
  /** Receives the webhooks of its crawls; null: none. */
  webhook_url: string | null
  /** The events that it receives; null: no webhook. */
  webhook_events?: Array<'crawl.done' | 'crawl.diff_detected' | 'crawl.started' | 'page.fetched' | 'crawl.failed'> | null
  /** Whether crawls without changes send no webhook. */
  return_only_changed?: boolean
  /** The change that the client waits for; null: none is named. */
  intent?: string | null
  /** Whether changes that do not match the intent send no webhook. */
  only_matching?: boolean
}

export type MonitorList = Warned & {
  /** Ordered by id. */
  items: Monitor[]
}

export type MonitorChange = {
  /** Five fields of crontab(5), in the local time of timezone. */
  schedule?: string
  /** IANA time zone of the schedule, such as Europe/Berlin. */
  timezone?: string
  /** False: the monitor starts no crawls until it is enabled again. */
  enabled?: boolean
  /** Receives the webhooks of its crawls from now on; null: removes it, and resets webhook_events and return_only_changed to their defaults. */
  webhook_url?: string | null
  /** The events to send from the next crawl on; []: only failures. Only with a webhook_url. */
  webhook_events?: Array<'crawl.done' | 'crawl.diff_detected' | 'crawl.started' | 'page.fetched' | 'crawl.failed'>
  /** True: no webhook for crawls without changes. Only with a webhook_url. */
  return_only_changed?: boolean
  /** The change to wait for from the next crawl on, judged by the language model; null: removes it and only_matching. */
  intent?: string | null
  /** True: no webhook for changes that do not match. Only with an intent. */
  only_matching?: boolean
}

export type MonitorRun = {
  /** The scheduled time; for a manual run, the time of the request. */
  minute: string
  /** True: a manual run, not a scheduled one. */
  asked: boolean
  /** The crawl that was started; null: none. */
  run_id: number | null
  /** Status of the crawl; deleted: the crawl was deleted; starting: it does not exist yet; skipped: none was started. */
  status: 'queued' | 'running' | 'done' | 'failed' | 'cancelled' | 'starting' | 'skipped' | 'deleted'
  /** Reason why it was skipped: previous_run_active; too_late, if the crawl could not be started for 23 hours; or the reason why the crawl was rejected, such as concurrent_runs; null: not skipped. */
  reason: string | null
  /** Pages of the crawl; null: the crawl does not exist, or has just started. */
  page_count: number | null
  /** Failed URLs of the crawl; null: as for page_count. */
  error_count: number | null
}

export type MonitorRunList = Warned & {
  /** Newest first. The last 1,000 runs of a monitor are kept. */
  items: MonitorRun[]
  /** Offset of the next part; null: this is the last part. */
  next_offset: number | null
}

export type PageItem = {
  /** The id of the page, unique across all crawls. */
  id: number
  /** URL of the page, after all redirects. */
  url: string
  /** HTTP status of the target. */
  status: number
  /** Length of the decoded body, in bytes. */
  bytes: number
  /** Time of the fetch. */
  fetched_at: string
  /** SHA-256 in hex of the content that readers see: changes of markup, scripts and the like do not affect it. */
  content_hash?: string
  /** SHA-256 of the decoded body, in hex. */
  raw_hash?: string
  /** Title of the page; null: it has none. */
  title?: string | null
  /** Number of links from the seed to the page. */
  depth?: number
  /** Number of other pages of the crawl that link to this page; null: the crawl stores no links. */
  inlinks?: number | null
  /** The URL that redirected here; null: no redirect. */
  requested_url?: string | null
  /** As the site sent it; null: it sent none. */
  content_type?: string | null
  /** The origin returned a challenge instead of its page, which costs nothing. */
  blocked?: boolean
  /** The page was rendered by a browser, and costs one cloud page instead of one page. */
  rendered?: boolean
  /** The trace of the fetch, if there is one. */
  trace_id?: string | null
}

export type PageList = Warned & {
  /** Ordered by id, which is the order in which pages were stored. */
  items: PageItem[]
  /** Offset of the next part; null: this is the last part. */
  next_offset: number | null
}

/** A chunk of the Markdown. */
export type Chunk = {
  /** Hash of the text and its headings: equal text under equal headings keeps its id. */
  id: string
  /** The text, as in `markdown`. */
  text: string
  /** Offset of its first character in `markdown`, in UTF-16 code units. */
  start: number
  /** Offset after its last character, in UTF-16 code units. */
  end: number
  /** Texts of the headings above it, outermost first, each cut to 120 characters. */
  heading_path: string[]
  /** Number of tokens of the text. */
  tokens: number
  /** Whether it contains a part of a paragraph, table or code block that alone exceeds the maximum. Other blocks are never split. */
  is_part: boolean
}

/** Metadata in the head of the page; null: none. */
export type PageMetadata = {
  /** Content of the title element; of a PDF: its title. */
  title: string | null
  /** Content of the description meta element. */
  description: string | null
  /** The canonical link, absolute. */
  canonical: string | null
  /** The lang attribute of the html element. */
  lang: string | null
  /** Directives of the robots meta elements. */
  robots: string[]
  /** Open Graph properties, without the prefix `og:`. */
  og: Record<string, string>
  /** Twitter card properties, without the prefix `twitter:`. */
  twitter: Record<string, string>
  /** Each JSON-LD script that could be parsed. */
  json_ld: unknown[]
}

/** Signals of the page for search engines and AI bots. */
export type Signals = {
  /** Content of the title element; null: absent. */
  title: string | null
  /** Content of the description meta element; null: absent. */
  description: string | null
  /** The canonical link, absolute; null: absent. */
  canonical: string | null
  /** The lang attribute of the html element. If it is absent, the language of the text where the answer has text or signals and the language is clear; else null. */
  lang: string | null
  /** Headings of the first level, in document order. */
  h1: string[]
  /** Headings of the second level. */
  h2: string[]
  /** Headings of the third level. */
  h3: string[]
  /** Directives of the robots meta elements. */
  robots_meta: string[]
  /** Every @type of its JSON-LD. */
  jsonld_types: string[]
  /** URLs of other languages, by language. */
  hreflang: Record<string, string>
  /** Directives of the page for AI bots. */
  ai_directives: {
    /** Whether it states noai. */
    noai: boolean
    /** Whether it states noimageai. */
    noimageai: boolean
    /** Directives of robots meta elements, by bot. */
    meta: Record<string, string[]>
    /** Directives of X-Robots-Tag, by bot. */
    x_robots_tag: Record<string, string[]>
    /** Content-Signal of the response: yes or no, by use. */
    content_signals: Record<string, string>
    /** Content-Usage of the response: y or n, by use. */
    content_usage: Record<string, string>
    /** Whether text and data mining is reserved; null: not stated. */
    tdm_reservation: boolean | null
    /** URL of the policy for text and data mining; null: not stated. */
    tdm_policy: string | null
  }
  /** Number of words of its text. Elements that are hidden by an attribute or by styles count. */
  word_count: number
  /** Number of characters of the same text. */
  char_count: number
  /** Number of links. */
  links: {
    /** Links to its own site. */
    internal: number
    /** Links to other sites. */
    external: number
    /** Internal and external links with rel nofollow. */
    nofollow: number
    /** Internal and external links. */
    total: number
  }
}

export type Page = Warned & {
  /** The id of the page, unique across all crawls. */
  id: number
  /** URL of the page, after all redirects. */
  url: string
  /** HTTP status of the target. */
  status: number
  /** Length of the decoded body, in bytes. */
  bytes: number
  /** Time of the fetch. */
  fetched_at: string
  /** SHA-256 in hex of the content that readers see: changes of markup, scripts and the like do not affect it. */
  content_hash: string
  /** As the site sent it; null: it sent none. */
  content_type: string | null
  /** The trace of the fetch; absent: the crawl has none. */
  trace_id?: string
  /** The decoded body as served; empty: it is neither HTML nor text, such as a PDF; null: it is not stored. */
  html?: string | null
  /** CommonMark with tables; links are kept and absolute. */
  markdown?: string
  /** The Markdown in chunks, in order. Without an overlap, their texts together are the Markdown. */
  chunks?: Chunk[]
  /** The main text, with an empty line between paragraphs. */
  article_text?: string
  /** The article as clean HTML. */
  article_html?: string
  /** The article as Markdown, without its headline. */
  article_markdown?: string
  metadata?: PageMetadata
  /** Signals of the page for search engines and AI bots. */
  signals?: Signals | null
}

export type PageExtractRequest = {
  /** JSON Schema (draft 2020-12) of an object. Values come from the structured data, metadata, tables and definition lists of the page, by the names of the properties. `x-selector` selects elements, `x-alias` adds names, `x-type` names the schema.org type of an item. */
  schema: Record<string, unknown>
  /** Instruction for the language model of this installation, which then fills the properties that are still null. Requires the consent of the project (`PUT /v1/model-consent`). Without a model: 503 not_configured. */
  prompt?: string
  /** Requests the language model without a prompt: `default`, or its name. */
  model?: string
}

/** The language model that was used. Absent: none was used. */
export type ModelUse = {
  /** The name of the model. */
  name: string
  /** Tokens that the model received. */
  input_tokens: number
  /** Tokens that the model wrote. */
  output_tokens: number
}

/** Values by the JSON Schema of the request. */
export type Extraction = {
  /** The filled object. Properties without a value on the page are null. */
  data: Record<string, unknown>
  /** The source of each value. */
  fields: Array<{
    /** JSON pointer to the value in `data`. */
    path: string
    /** The kind of source. opengraph: Open Graph and other metadata of the head. table: tables and definition lists. model: a language model, whose value is in the text or the links of the page. */
    from: 'selector' | 'jsonld' | 'microdata' | 'opengraph' | 'table' | 'model'
    /** The place in the source, such as `json_ld[0].offers.price`. For a model the line of the page that has the value, such as `text: Price: 49.90 EUR`. */
    where: string
  }>
  /** Whether the object, without its nulls, is valid by the schema. */
  valid: boolean
  /** At most 50 errors. */
  errors: Array<{
    /** JSON pointer to the invalid value. */
    path: string
    /** The rule that it breaks. */
    message: string
  }>
  model?: ModelUse
}

export type PageExtraction = Warned & {
  /** The page. */
  id: number
  /** URL of the page, after all redirects. */
  url: string
  /** HTTP status of the target. */
  status: number
  extraction: Extraction
}

export type ReplayChange = {
  /** The field: title, content_hash, comparison_hash, charset, metadata.title, metadata.description, metadata.canonical, metadata.lang, metadata.robots, metadata.og, metadata.twitter, metadata.json_ld. */
  field: string
  /** The value that the crawl stored. A list or an object is JSON. null: the page has none. */
  stored: string | null
  /** The value of today. A list or an object is JSON. null: the page has none. */
  now: string | null
  /** Present if a value exceeds 1000 characters. Both are cut to this length around their first difference. */
  truncated?: true
}

export type ReplayLink = {
  /** Target of the link, in normal form. */
  to_url: string
  /** Text of the link; empty: it has none. */
  anchor: string
  /** The rel attribute as written; null: absent. */
  rel: string | null
  /** Whether rel says nofollow. */
  nofollow: boolean
}

/** Links to any site that differ. A link with another text or rel is removed and added. The order is not compared. */
export type ReplayLinks = {
  /** Number of links that only the extractor of today finds. */
  added_total: number
  /** The first 20 of them. */
  added: ReplayLink[]
  /** Number of links that only the crawl stored. */
  removed_total: number
  /** The first 20 of them. */
  removed: ReplayLink[]
}

/** A page that differs. `links` is null if its links are the same. */
export type ReplayedPage = {
  /** The page. */
  id: number
  /** URL of the page, after redirects. */
  url: string
  /** The fields that differ. */
  changes: ReplayChange[]
  /** Links to any site that differ. A link with another text or rel is removed and added. The order is not compared. */
  links: ReplayLinks | null
}

export type Replay = Warned & {
  /** The crawl. */
  run_id: number
  /** The pages of this part that differ, ordered by id. */
  items: ReplayedPage[]
  /** Pages of this part that were read and compared. */
  pages_read: number
  /** Those of them that differ: the number of items. */
  pages_changed: number
  /** Pages of this part whose body is not stored. */
  pages_not_stored: number
  /** Pages of this part that cannot be read today; `warnings` has the reasons. */
  pages_unreadable: number
  /** Pages of the crawl. */
  total: number
  /** Offset of the next part; null: this is the last part. */
  next_offset: number | null
}

export type LinkEdge = {
  /** The page that contains the link. */
  from_page_id: number
  /** Target of the link, in normal form. */
  to_url: string
  /** Text of the link; empty: it has none. */
  anchor: string
  /** The rel attribute as written; null: absent. */
  rel: string | null
  /** Whether rel says nofollow. */
  nofollow: boolean
}

export type LinkList = Warned & {
  /** Ordered by the id of the page, then in document order. */
  items: LinkEdge[]
  /** Offset of the next part; null: this is the last part. */
  next_offset: number | null
}

export type OrphanList = Warned & {
  /** Ordered by id. */
  items: Array<{
    /** The page. */
    id: number
    /** The URL of the page, after redirects. */
    url: string
    /** HTTP status of the target. */
    status: number
    /** Time of the fetch. */
    fetched_at: string
  }>
}

/** jsonl, parquet: splits the Markdown into chunks, which are added as `chunks`. parquet has them in the table pages, or in the table chunks if it is chosen. */
export type ExportChunkRequest = {
  /** Maximum number of tokens of a chunk, counted with o200k_base. */
  max_tokens: number
  /** Maximum number of tokens that a chunk repeats from the one before in the same section. At most half of the maximum of a chunk. Default: 0. */
  overlap?: number
  /** Adds the embedding of each chunk by the model of this installation: `embedding` of a chunk in jsonl, a column of the table chunks in parquet. It needs the consent of the project, and its tokens are rows of the ledger. Default: false. */
  embeddings?: boolean
}

/** The selected pages, and choices of some formats. */
export type ExportSelection = {
  /** Only pages with one of these HTTP statuses. Default: all. */
  status?: number[]
  /** Only pages whose URL begins with this text. Default: all. */
  url_prefix?: string
  /** Only pages with at most this number of links from the seed. Default: all. */
  max_depth?: number
  /** jsonl, parquet: parts of the content of each page. `metadata` is always included. parquet has links in a table. warc, wacz: `markdown` adds conversion records. Default: none. */
  include?: Array<'html' | 'markdown' | 'article' | 'metadata' | 'headers' | 'links'>
  /** The Markdown contains only the main content, without menus, headers and footers. Default: true for the format markdown, else false. */
  only_main_content?: boolean
  chunks?: ExportChunkRequest
  /** parquet: its tables. Several tables are a ZIP of their files. chunks has a row per chunk. Default: pages, or chunks with embeddings. */
  tables?: Array<'pages' | 'links' | 'chunks'>
  /** graph: GEXF, or a ZIP of CSV files. Default: gexf. */
  graph?: 'gexf' | 'csv'
}

export type ExportRequest = {
  /** jsonl: a line per page. markdown: a ZIP with a file per page. parquet: tables of pages and links. warc, wacz: web archives. sitemap: XML sitemaps. graph: pages and their links. */
  format: 'jsonl' | 'markdown' | 'parquet' | 'warc' | 'wacz' | 'sitemap' | 'graph'
  select?: ExportSelection
  /** The target of the file. Default: download. s3 needs endpoint, bucket and the access key. */
  sink?: {
    /** download: kept here. s3: sent to a bucket. */
    type: 'download' | 's3'
    /** Address of the S3 service, without a path. It must be public. */
    endpoint?: string
    /** The bucket. It must exist. */
    bucket?: string
    /** The region of the bucket. Default: us-east-1. */
    region?: string
    /** Name of the object. An existing object is replaced. Default: a name with the id of the export. */
    key?: string
    /** true: the bucket is in the path (`https://host/bucket/…`). false: it is in the host. Default: true. */
    path_style?: boolean
    /** Id of an access key that may put objects. It is stored encrypted. */
    access_key_id?: string
    /** Secret of the access key. It is stored encrypted until the export ends, and never shown. */
    secret_access_key?: string
  }
}

export type Export = Warned & {
  /** The id of the export. */
  id: number
  /** The crawl. */
  run_id: number
  /** jsonl: a line per page. markdown: a ZIP with a file per page. parquet: tables of pages and links. warc, wacz: web archives. sitemap: XML sitemaps. graph: pages and their links. */
  format: 'jsonl' | 'markdown' | 'parquet' | 'warc' | 'wacz' | 'sitemap' | 'graph'
  select: ExportSelection
  /** The target of the file. */
  sink: {
    /** Kept here for download. */
    type: 'download'
  } | {
    /** Sent to an S3 bucket. */
    type: 's3'
    /** Address of the S3 service, without a path. It must be public. */
    endpoint: string
    /** The bucket. It must exist. */
    bucket: string
    /** The region of the bucket. Default: us-east-1. */
    region?: string
    /** Name of the object. An existing object is replaced. Default: a name with the id of the export. */
    key?: string
    /** true: the bucket is in the path (`https://host/bucket/…`). false: it is in the host. Default: true. */
    path_style?: boolean
  }
  /** done: the file is complete. expired: it was removed. failed: `error` has the reason. */
  status: 'queued' | 'running' | 'done' | 'failed' | 'expired'
  /** Time of the request. */
  created_at: string
  /** Time of its end; null: it has not ended. */
  finished_at: string | null
  /** Time when the file is removed; null: there is no file here. */
  expires_at: string | null
  /** Number of selected pages; null: not done. */
  records: number | null
  /** Length of the file; null: not done. */
  bytes: number | null
  /** SHA-256 of the file, in hex; null: not done. */
  sha256: string | null
  /** The embeddings so far. Absent: none was requested, or the model has not responded yet. */
  embeddings?: {
    /** Name of the model. */
    model: string
    /** Number of values in each embedding. */
    dimensions: number
    /** Different texts that the model has received. Equal texts are sent once. */
    texts: number
    /** Tokens of these texts, as the ledger has them. */
    tokens: number
  }
  /** Why it failed; null: it did not fail. */
  error: {
    /** Such as run_deleted, too_large, s3_refused or embeddings_invalid. */
    reason: string
    /** The reason in words, with the remedy. */
    message: string
  } | null
  /** Signed address of the file. It needs no key. It expires, by default after an hour: read the export again for a new one. null: no file here. */
  download_url: string | null
}

export type ExportList = Warned & {
  /** Newest first. */
  items: Export[]
  /** Offset of the next part; null: this is the last part. */
  next_offset: number | null
}

export type DeletedExport = Warned & {
  /** Always true. */
  deleted: true
  /** The deleted export. */
  id: number
}

/** The signed root of the tree over all pages of a crawl. */
export type Evidence = Warned & {
  /** The facts that are signed. */
  statement: {
    /** The crawl. */
    crawl_id: number
    /** Number of URLs that failed. The tree does not contain them. */
    error_count: number
    /** Time of the end of the crawl. */
    finished_at: string
    /** The `kid` of the key that signed: its thumbprint (RFC 7638). */
    key_id: string
    /** Number of leaves: the pages of the crawl. */
    page_count: number
    /** The root of the tree, in hex. */
    root: string
    /** Time of the signature, by the clock of the gateway. */
    signed_at: string
    /** Time of the start of the crawl; null: it never started. */
    started_at: string | null
    /** done, failed or cancelled. */
    status: string
    /** Reason for the end of the crawl. */
    stop_reason: string | null
    /** The seed URL. */
    url: string
  }
  /** The signed text in UTF-8: `tidemark-evidence-v1`, a line feed, and the statement as canonical JSON (RFC 8785). */
  signed_text: string
  /** Ed25519 signature of signed_text (RFC 8032), in base64. */
  signature: string
  /** Time-stamp of an independent authority. null: it is missing, and warnings has the reason. Absent: this installation uses no authority. */
  timestamp?: {
    /** Time of the time-stamp by the clock of the authority, cut to milliseconds. */
    gen_time: string
    /** Subject of the certificate that signed the token. */
    tsa: string
    /** Policy of the authority, as an object identifier. */
    policy: string
    /** Serial number of the token, in hex. */
    serial_number: string
    /** The TimeStampToken (RFC 3161) with its certificates, as DER in base64. It stamps the SHA-256 of signed_text, a line feed and signature, in UTF-8. */
    token: string
  } | null
}

/** A leaf of the tree: the facts about one page. */
export type EvidenceLeaf = {
  /** IP address of the host that sent the page. Absent if it is not known: a proxy or a browser fetched the page, or a fork took it from the store. */
  address?: string
  /** The origin returned a challenge instead of its page. */
  blocked: boolean
  /** Length of the decoded body, in bytes. */
  bytes: number
  /** SHA-256 of the certificate of that host in DER, in hex. Absent if it is not known, or the page was fetched without TLS. */
  certificate?: string
  /** SHA-256 in hex of the content that readers see: changes of markup, scripts and the like do not affect it. */
  content_hash: string
  /** Time at which the response was complete, by the clock of the crawler. */
  fetched_at: string
  /** The page. */
  id: number
  /** SHA-256 of the decoded body, in hex. */
  raw_hash: string
  /** The body is the document in a browser after its scripts had run. */
  rendered: boolean
  /** The URL that was requested and redirected to url; null: no redirect. */
  requested_url: string | null
  /** HTTP status of the target. */
  status: number
  /** URL of the page, after all redirects. */
  url: string
}

export type PageEvidence = Warned & {
  leaf: EvidenceLeaf
  /** Position of the leaf in the tree, from 0. */
  leaf_index: number
  /** Sibling hashes from the leaf to the root (RFC 9162, 2.1.3). */
  audit_path: string[]
  evidence: Evidence
}

export type EvidenceLeafList = Warned & {
  /** In the order of the tree, which is that of their ids. */
  items: EvidenceLeaf[]
  /** Offset of the next part; null: this is the last part. */
  next_offset: number | null
}

export type CrawlPolicy = Warned & {
  /** The crawl. */
  run_id: number
  /** Whether the crawl obeyed robots.txt. */
  respect_robots: boolean
  /** user_agent of the request, or the product token of the User-Agent among its headers, by which robots.txt of the hosts that receive them is matched; null: that of the installation. */
  user_agent: string | null
  /** delay_ms of the request. */
  delay_ms: number
  /** The rules for AI bots in the robots.txt of the seed, by bot; null: it was not read. */
  ai_bot_policy: Record<string, string> | null
  /** Whether the crawl read an llms.txt at the seed. */
  has_llms_txt: boolean
  /** URLs of all hosts that were found and not requested, by reason. */
  not_requested: {
    skipped: SkippedUrls
    not_reached: NotReachedUrls
    /** Whether the crawl has reached its maximum number of known URLs. URLs found after that were not judged. */
    frontier_full: boolean
    /** The path that returns these decisions with their URLs, as server-sent events. URLs that were pending at the end have no decision: see /explain. */
    events_path: string
  }
  /** The hosts, in the order in which the crawl found them. */
  items: Array<{
    /** Scheme, host and port, such as https://example.com. */
    origin: string
    /** The robots.txt that the crawl obeyed last; null: it requested none. */
    robots: {
      /** The use of the file (RFC 9309, 2.3.1). rules: it was read. allow_all: 4xx. disallow_all: 5xx or 429. unreachable: no response, so everything is disallowed. */
      verdict: 'rules' | 'allow_all' | 'disallow_all' | 'unreachable'
      /** HTTP status of robots.txt; null: no response. */
      status: number | null
      /** Why it could not be read, such as timeout; null: a response came. */
      reason: string | null
      /** Time at which the crawl applied it. */
      decided_at: string
      /** SHA-256 of the file, in hex, or of its first 512 KiB on the wire; null: it was not read. */
      body_hash: string | null
      /** The user agent of the group that applied; null: no group matched. */
      agent: string | null
      /** Crawl-delay of the group in seconds; null: none. */
      crawl_delay: number | null
      /** The rules of the group that applied, at most 100. */
      rules: Array<{
        /** true: an Allow rule. false: a Disallow rule. */
        allow: boolean
        /** The path of the rule. */
        pattern: string
      }>
      /** Number of rules of the group that the crawl kept. */
      rule_count: number
    } | null
    /** Minimum milliseconds between two requests: delay_ms, or a longer Crawl-delay. */
    delay_ms: number
    /** URLs of the host that were found and not requested because of robots.txt. */
    not_requested: {
      /** URLs that robots.txt disallows. */
      robots: number
      /** URLs whose robots.txt could not be read. If the URL of the request is among them, /coverage counts it as failed. */
      robots_unreachable: number
    }
    /** The times of the stored pages of the host, from fetched_at. */
    pages: {
      /** Number of stored pages of the host. */
      count: number
      /** fetched_at of the first page; null: no page. */
      first_at: string | null
      /** fetched_at of the last page; null: no page. */
      last_at: string | null
      /** Smallest time between two pages that follow each other; null: fewer than two pages. */
      smallest_gap_ms: number | null
      /** Average time between two pages that follow each other; null: fewer than two pages. */
      average_gap_ms: number | null
      /** Number of these times that are below delay_ms. */
      gaps_below_delay: number
      /** Seconds of the clock in which pages were complete, by their number of pages. */
      seconds: Array<{
        /** Pages in one second; 50 counts 50 and more. */
        pages: number
        /** Number of seconds with this number of pages. */
        seconds: number
      }>
    }
  }>
  /** Offset of the next part; null: this is the last part. */
  next_offset: number | null
}

export type HashedPage = {
  /** URL of the page, after redirects. */
  url: string
  /** Its content_hash, or its raw_hash if the installation compares raw hashes. */
  hash: string
  /** HTTP status of the page in the crawl that has it. */
  status: number
}

export type UncomparedPage = {
  /** URL of the page, after redirects. */
  url: string
  /** A failure reason such as timeout, dns or connect; blocked: a challenge; robots, robots_unreachable, excluded, not_included, trap, redirect_out_of_scope; max_pages, depth, max_cost_usd, max_bytes, quota, time_limit, pattern_time, cancelled, run_failed, frontier_full; pending: the crawl has not ended; sitemap: a sitemap could not be read; unknown: a page with a link to it could not be read, or returned an error. */
  cause: string
}

export type RunDiff = Warned & {
  /** The older crawl. */
  old_run_id: number
  /** The newer crawl. */
  new_run_id: number
  /** Number of pages in each class. Every page of either crawl is in exactly one class. */
  summary: {
    /** Pages of the newer crawl for which the older one got a 404 or 410, or could have found a page and did not. */
    added: number
    /** Pages of the older crawl for which the newer one got a 404 or 410, or could have found a page and did not. */
    removed: number
    /** Pages of both crawls whose content_hash or status differs. */
    changed: number
    /** Pages of both crawls with equal content_hash and status, and URLs with a 404 or 410 that are not a page of the other crawl either. */
    unchanged: number
    /** Pages that the older crawl could read and the newer one could not. They do not count as differences. */
    not_revisited: number
    /** Pages that the older crawl could not read, or that only the newer one has and with a challenge. They do not count as differences. */
    not_compared: number
    /** Pages of either crawl, each URL once: the sum of the six counts above. */
    pages: number
  }
  /** Pages of the newer crawl for which the older one got a 404 or 410, or could have found a page and did not. */
  added: HashedPage[]
  /** Pages of the older crawl for which the newer one got a 404 or 410, was redirected to another of its pages, or could have reached them and found no link. */
  removed: HashedPage[]
  /** Pages of both crawls whose content_hash or status differs. A 4xx or 5xx is a response like any other. */
  changed: Array<{
    /** URL of the page in both crawls, after redirects. */
    url: string
    /** content_hash in the older crawl. */
    old_hash: string
    /** content_hash in the newer crawl. */
    new_hash: string
    /** HTTP status in the older crawl. */
    old_status: number
    /** HTTP status in the newer crawl. */
    new_status: number
    /** The requested fields that differ. */
    fields?: Record<string, {
      /** In the older crawl. */
      old: string | number | string[] | null
      /** In the newer crawl. */
      new: string | number | string[] | null
    }>
  }>
  /** Pages that the older crawl could read and the newer one could not, each with its cause. */
  not_revisited: UncomparedPage[]
  /** Pages that the older crawl could not read, or that only the newer one has and with a challenge, each with its cause. */
  not_compared: UncomparedPage[]
}

export type DiffWords = {
  /** Whether only one of the two lines has these words. */
  change: 'same' | 'added' | 'removed'
  /** The words, with the white space between them. */
  text: string
}

export type DiffLine = {
  /** Whether only one of the two pages has the line. */
  change: 'same' | 'added' | 'removed'
  /** Line number in the older page, counted from 1. */
  old_line?: number
  /** Line number in the newer page, counted from 1. */
  new_line?: number
  /** The line without its line ending. */
  text: string
  /** For a line that replaces another: the words that are equal and those that differ. */
  words?: DiffWords[]
}

export type ChangedLine = {
  /** Whether the newer page has the line, or only the older one. */
  change: 'added' | 'removed'
  /** The line as the page has it, or a part of a line of more than 200 characters. */
  text: string
}

/** The change in words, if requested. Null: nothing has changed, or a warning has the reason: not_configured, no_consent, model_calls, model_failed or not_quoted. */
export type DiffInWords = {
  /** The change in at most three sentences. Every number in it is in the changed lines. */
  text: string
  /** The changed lines that the text is about; at least one. */
  quotes: ChangedLine[]
}

export type PageDiff = Warned & {
  /** The older crawl. */
  old_run_id: number
  /** The newer crawl. */
  new_run_id: number
  /** URL of the page, after redirects. */
  url: string
  /** The page in the older crawl. */
  old_page_id: number
  /** The page in the newer crawl. */
  new_page_id: number
  /** The form of the page that was compared. */
  mode: 'text' | 'markdown'
  /** Number of lines of each kind, and of changed words. */
  summary: {
    /** Lines that only the newer page has. */
    added: number
    /** Lines that only the older page has. */
    removed: number
    /** Lines that both pages have. */
    same: number
    /** Words that only one of the pages has: of the page with more of them, so a replaced word counts once. Words that only move do not count. */
    changed_words: number
  }
  /** Changed lines with three lines of context, in document order. */
  lines: DiffLine[]
  /** Whether something was left out of a long text or of many changes. */
  truncated: boolean
  /** The change in words, if requested. Null: nothing has changed, or a warning has the reason: not_configured, no_consent, model_calls, model_failed or not_quoted. */
  in_words?: DiffInWords | null
  model?: ModelUse
}

/** Splits the Markdown into chunks, which are added as `chunks`. */
export type ChunkRequest = {
  /** Maximum number of tokens of a chunk, counted with o200k_base. */
  max_tokens: number
  /** Maximum number of tokens that a chunk repeats from the one before in the same section. At most half of the maximum of a chunk. Default: 0. */
  overlap?: number
}

export type Selector = {
  /** A CSS selector. */
  selector: string
  /** The attribute to extract. Default: the text. */
  attr?: string
  /** Whether to return all matches as a list instead of the first one. */
  all?: boolean
}

export type ScanRequest = {
  /** A public URL; http:// or https://. */
  url: string
  /** User-Agent of the request. Default: that of a browser. */
  user_agent?: string
  /** Use the newest page that a crawl or a scan of the project has stored if it is younger than this number of seconds. A page of a scan was requested by the same user_agent and cloud_mode. */
  max_age_seconds?: number
  /** Means beyond plain HTTP: auto uses the unblocker after a challenge, a failure, 403 or 406, and a browser if only scripts make the page, unblocker uses it from the start, browser uses only a browser. Default: the setting of the project, or none. */
  cloud_mode?: 'none' | 'auto' | 'unblocker' | 'browser'
  /** Leave out markdown and article. */
  metadata_only?: boolean
  /** Markdown without navigation, site header, footer and the like. */
  only_main_content?: boolean
  /** Add the links of the page as `anchors`. */
  include_links?: boolean
  /** Add the main text as `article_text`. */
  include_article?: boolean
  chunks?: ChunkRequest
  /** Add a screenshot of the page, of at most its first 20,000 pixels in height, as `screenshot`. Costs one cloud page per screenshot. Stored pages are not used. */
  screenshot_inline?: boolean
  /** Values to extract, by name: a CSS selector, or {selector, attr, all}. They are returned as `extracted`. With `{schema: …}`, a JSON Schema, they are returned as `extraction`. */
  extract?: {
    /** A JSON Schema for `extraction`. A CSS selector here extracts a value named `schema`, as under any other name. */
    schema?: string | Selector | Record<string, unknown>
    /** Beside a schema: Instruction for the language model of this installation, which then fills the properties that are still null. Requires the consent of the project (`PUT /v1/model-consent`). Without a model: 503 not_configured. `model` requests it without a prompt: `default`, or its name. Without a schema it is a CSS selector, as under any other name. */
    prompt?: string | Selector
  }
}

export type CloudTry = {
  /** The backend. */
  backend: 'http' | 'faithful' | 'browser' | 'proxy' | 'vendor'
  /** Kind of the proxy. */
  pool?: 'datacenter' | 'isp' | 'residential' | 'mobile'
  /** Outcome; blocked: the site returned a challenge for bots. */
  outcome: 'got' | 'blocked' | 'failed' | 'not_configured'
  /** Reason for the failure as a stable code, or the vendor of the challenge; null: success. */
  reason: string | null
  /** Duration in milliseconds. */
  elapsed_ms: number
  /** Cost of the attempt in US dollars. The costs of all attempts add up to `cost_usd` of the response. */
  cost_usd: number
}

export type Scan = Warned & {
  /** The requested URL. */
  url: string
  /** URL of the page, after all redirects. */
  final_url: string
  /** HTTP status of the target. */
  status: number
  /** Length of the decoded body, in bytes. */
  bytes: number
  /** Time of the response. */
  fetched_at: string
  /** SHA-256 in hex of the content that readers see: changes of markup, scripts and the like do not affect it. */
  content_hash: string
  /** As the site sent it; null: it sent none. */
  content_type: string | null
  /** Whether the page was stored by an earlier crawl or scan. */
  cached: boolean
  /** Whether the site returned a challenge instead of the page, which costs nothing. */
  blocked: boolean
  metadata: PageMetadata
  signals: Signals
  /** Rules of robots.txt by bot. unspecified: no rule names the bot, so everything is allowed. */
  ai_bot_policy: Record<string, 'allowed' | 'disallowed' | 'partial' | 'unspecified'> | null
  /** The llms.txt of the site, up to 256 KiB (of a stored page 64 KiB); null: it has none, or it could not be read. */
  llms_txt: string | null
  /** CommonMark with tables; links are kept and absolute. */
  markdown?: string
  /** The main text, with an empty line between paragraphs. */
  article_text?: string
  /** The article as clean HTML. */
  article_html?: string
  /** The Markdown in chunks, in order. Without an overlap, their texts together are the Markdown. */
  chunks?: Chunk[]
  /** The links of the page, in document order. */
  anchors?: Array<{
    /** Absolute, in normal form. */
    to: string
    /** Text of the link; empty: it has none. */
    anchor: string
    /** The rel attribute; null: absent. */
    rel: string | null
    /** Whether rel says nofollow. */
    nofollow: boolean
  }>
  /** Extracted values, by the names in `extract`; null or an empty list: no match. */
  extracted?: Record<string, string | null | string[]>
  extraction?: Extraction
  /** PNG, base64-encoded. */
  screenshot?: string
  /** Reason why the requested screenshot is missing. It costs nothing then. */
  screenshot_error?: string
  /** The backend that fetched the page, if more than plain HTTP was allowed. Every backend except http costs one cloud page more. */
  backend?: 'http' | 'faithful' | 'browser' | 'proxy' | 'vendor'
  /** Every backend that was tried, in order. */
  tried?: CloudTry[]
  /** Cost of the backends in US dollars, beside pages and cloud pages. */
  cost_usd?: number
}

export type BulkScanRequest = {
  /** Up to 100 URLs. Each has its own result, even an invalid URL. */
  urls: string[]
  /** Concurrent requests, from 1 to 64. Other values are set to the nearest bound. At most four to one host. */
  concurrency?: number
  /** Leave out markdown and article. */
  metadata_only?: boolean
  /** Use the newest page that a crawl or a scan of the project has stored if it is younger than this number of seconds. A page of a scan was requested by the same user_agent and cloud_mode. */
  max_age_seconds?: number
  /** User-Agent of the request. Default: that of a browser. */
  user_agent?: string
}

/** The page. */
export type BulkResult = Warned & {
  /** The requested URL. */
  url: string
  /** URL of the page, after all redirects. */
  final_url: string
  /** HTTP status of the target. */
  status: number
  /** Length of the decoded body, in bytes. */
  bytes: number
  /** Time of the response. */
  fetched_at: string
  /** SHA-256 in hex of the content that readers see: changes of markup, scripts and the like do not affect it. */
  content_hash: string
  /** As the site sent it; null: it sent none. */
  content_type: string | null
  /** Whether the page was stored by an earlier crawl or scan. */
  cached: boolean
  /** Whether the site returned a challenge instead of the page, which costs nothing. */
  blocked: boolean
  metadata: PageMetadata
  signals: Signals
  /** Rules of robots.txt by bot. unspecified: no rule names the bot, so everything is allowed. */
  ai_bot_policy: Record<string, 'allowed' | 'disallowed' | 'partial' | 'unspecified'> | null
  /** The llms.txt of the site, up to 256 KiB (of a stored page 64 KiB); null: it has none, or it could not be read. */
  llms_txt: string | null
  /** CommonMark with tables; links are kept and absolute. */
  markdown?: string
  /** The main text, with an empty line between paragraphs. */
  article?: string
  /** The article as clean HTML. */
  article_html?: string
  /** The llms-full.txt of the site; null: it has none, or it could not be read. */
  llms_full_txt: string | null
}

export type BulkScan = Warned & {
  /** One per URL, in the order of the request. */
  items: Array<{
    /** The URL as sent, cut to 8,192 characters. */
    url: string
    /** The page was read. */
    ok: true
    result: BulkResult
  } | {
    /** The URL as sent, cut to 8,192 characters. */
    url: string
    /** The page was not read. */
    ok: false
    /** The error in one sentence. */
    error: string
    /** The error as a stable code. */
    reason: string
  }>
}

export type DeletedScans = Warned & {
  /** Number of deleted pages: one for each combination of user_agent and cloud_mode that the URL was scanned with; 0: none was stored. */
  deleted: number
}

export type BatchRequest = {
  /** Up to 10,000 URLs. Each has its own result, even an invalid or repeated URL. */
  urls: string[]
  /** Concurrent requests, from 1 to 32. Other values are set to the nearest bound. At most four to one host. */
  concurrency?: number
  /** Leave out markdown and article. */
  metadata_only?: boolean
  /** Use the newest page that a crawl or a scan of the project has stored if it is younger than this number of seconds. A page of a scan was requested by the same user_agent and cloud_mode. */
  max_age_seconds?: number
  /** User-Agent of the request. Default: that of a browser. */
  user_agent?: string
  /** Receiver of one signed `batch.done` when the batch is done. A cancelled batch sends none. */
  webhook_url?: string
}

/** The URLs by result. */
export type BatchCounts = {
  /** All URLs of the request. It is the sum of the other counts. */
  total: number
  /** URLs without a result. */
  pending: number
  /** URLs whose page was read. */
  ok: number
  /** URLs that could not be fetched. They cost nothing. */
  failed: number
  /** URLs that were not requested: invalid, private or blocked ones, and those beyond a cap or 4 GiB of results. They cost nothing. */
  refused: number
  /** URLs that had no result when the batch was cancelled. */
  cancelled: number
}

export type Batch = Warned & {
  /** The batch. */
  id: number
  /** done: every URL has a result. cancelled: a client ended it before. */
  status: 'queued' | 'running' | 'done' | 'cancelled'
  counts: BatchCounts
  /** Share of the URLs that are not pending. */
  progress: number
  /** Time of the request. */
  created_at: string
  /** Time at which the first URL was read; null: none yet. */
  started_at: string | null
  /** Time of the end; null: it has not ended. */
  finished_at: string | null
  /** Time at which it is deleted with its results; null: it has not ended, or is kept. */
  expires_at: string | null
  /** The receiver of the webhook; null: none. */
  webhook_url: string | null
}

export type BatchList = Warned & {
  /** Newest first. */
  items: Batch[]
  /** Offset of the next part; null: this is the last part. */
  next_offset: number | null
}

export type DeletedBatch = Warned & {
  /** Always true. */
  deleted: true
  /** The deleted batch. */
  id: number
}

export type BatchResults = Warned & {
  /** The results in the order of the request. While the batch runs, the list ends before the first URL without a result. */
  items: Array<{
    /** Position of the URL in the request, from 0. */
    index: number
    /** The URL as sent, cut to 8,192 characters. */
    url: string
    /** The page was read. */
    ok: true
    result: BulkResult
  } | {
    /** Position of the URL in the request, from 0. */
    index: number
    /** The URL as sent, cut to 8,192 characters. */
    url: string
    /** The page was not read. */
    ok: false
    /** The error in one sentence. */
    error: string
    /** The error as a stable code. */
    reason: string
  }>
  /** Offset of the next part; null: this is the last part. */
  next_offset: number | null
  /** The status of the batch. While it runs, more results follow. */
  status: 'queued' | 'running' | 'done' | 'cancelled'
}

export type MapRequest = {
  /** The home page of the site, or of a section of it; http:// or https://. */
  url: string
  /** Maximum number of URLs. */
  limit?: number
  /** Only URLs with one of these words in path or title, best match first. */
  search?: string
  /** Include subdomains of the site's host. */
  subdomains?: boolean
  /** False: read only the links of the home page. */
  include_sitemaps?: boolean
  /** Do not fetch a home page that robots.txt forbids. URLs in sitemaps are listed anyway. */
  respect_robots?: boolean
}

export type SiteMap = Warned & {
  /** URL of the home page, after redirects. */
  url: string
  /** The URLs; with `search`, best match first. */
  items: Array<{
    /** The URL in normal form. */
    url: string
    /** For the home page its title, otherwise the text of the link on it. */
    title?: string
    /** As the sitemap states it. */
    lastmod?: string
    /** Source of the URL: a sitemap, or a link on the home page. */
    source: 'sitemap' | 'link'
  }>
  /** Number of URLs that match, listed here or not. */
  total: number
  /** Whether there are, or may be, URLs that were not listed or not read. */
  truncated: boolean
  /** The sources that were read or not, with the reason. */
  sources: {
    /** The response for robots.txt. */
    robots: {
      /** URL of robots.txt. */
      url: string
      /** HTTP status; null: no response. */
      status: number | null
      /** Reason why there was no response: dns, connect, tls, timeout …, or robots. */
      error: string | null
    }
    /** Every sitemap that was requested. */
    sitemaps: Array<{
      /** URL of the sitemap. */
      url: string
      /** HTTP status; null: no response. */
      status: number | null
      /** Number of URLs that it lists, of any site. */
      urls: number
      /** Number of further sitemaps that it lists. */
      sitemaps: number
      /** The part that was not read, or the reason; null: all of it was read. */
      cut: string | null
    }>
    /** The response of the home page. */
    home_page: {
      /** URL of the home page. */
      url: string
      /** HTTP status; null: no response. */
      status: number | null
      /** Number of distinct links, to any site. */
      links: number
      /** Reason why there was no response: dns, connect, tls, timeout …, or robots. */
      error: string | null
    }
  }
}

export type RobotsPolicy = Warned & {
  /** The requested URL, without its fragment. */
  url: string
  /** Up to 500 KiB; null: the site has none. */
  robots_txt: string | null
  /** Up to 256 KiB; null: the site has none, or it could not be read. */
  llms_txt: string | null
  /** Rules by bot. unspecified: no rule names the bot, so everything is allowed. disallowed also means that robots.txt returned a server error. */
  ai_bot_policy: Record<string, 'allowed' | 'disallowed' | 'partial' | 'unspecified'>
  /** HTTP status of robots.txt. */
  robots_status: number
  /** Content-Signal lines of robots.txt, by user agent. */
  content_signals: Record<string, Record<string, 'yes' | 'no'>>
  /** Time at which robots.txt was fetched. */
  fetched_at: string
  /** The verdict of robots.txt for this URL. */
  verdict: {
    /** The crawler that the verdict is for. */
    user_agent: string
    /** Whether it may fetch the URL. */
    allowed: boolean
    /** The pattern that decided, as written in robots.txt. */
    rule: string | null
    /** The group that decided: a product token, or * for all crawlers. */
    agent: string | null
  }
}

export type CloudScrapeRequest = {
  /** A public URL; http:// or https://. */
  url: string
  /** The format of `content`. markdown: with tables; raw: the document unchanged; text: as a reader sees it; commonmark: without any extension. */
  return_format?: 'markdown' | 'raw' | 'text' | 'commonmark'
  /** Run the scripts of the page in a browser, and read the result. */
  chrome?: boolean
  /** auto tries the backends from the cheapest up until one returns the page without a challenge; local is this installation without proxies. */
  force_backend?: 'auto' | 'local' | 'vendor' | 'proxy'
  /** The kind of proxies to use. */
  proxy_pool?: 'datacenter' | 'isp' | 'residential' | 'mobile'
  /** An ISO 3166-1 alpha-2 code: the country of the proxy. */
  proxy_country?: string
  /** Actions in the browser after the page has loaded and before it is read, in order; at most 20. Each waits up to 10 s for its element. If one fails, the request is 502 `fetch_failed` with the reason `action_failed` and its position, and costs nothing. Values are never stored or logged. */
  actions?: PageAction[]
}

export type CloudPage = Warned & {
  /** The page in the requested format. */
  content: string
  /** HTTP status of the target. */
  status: number
  /** URL of the page, after all redirects. */
  url: string
  /** The backend that fetched the page. */
  backend: 'http' | 'faithful' | 'browser' | 'proxy' | 'vendor'
  /** Every backend that was tried, in order. */
  tried: CloudTry[]
  /** Whether the site returned a challenge to every backend, which costs nothing. */
  blocked: boolean
  /** Bytes transferred in both directions by the attempt that counts; absent: not measured. */
  bytes_transferred?: number
  /** Kind of the proxy that fetched the page; absent: no proxy. */
  pool?: 'datacenter' | 'isp' | 'residential' | 'mobile'
  /** Country of that proxy; absent: it has none. */
  country?: string
  /** Cost in US dollars, beside cloud pages; 0: a backend of this installation. */
  cost_usd: number
  /** Milliseconds from the request to this response. */
  elapsed_ms: number
}

export type CloudUnblockRequest = {
  /** A public URL; http:// or https://. */
  url: string
  /** The format of `content`. markdown: with tables; text: as a reader sees it; raw: the document unchanged. */
  return_format?: 'markdown' | 'text' | 'raw'
  /** An ISO 3166-1 alpha-2 code: the country of the proxy. */
  country?: string
}

export type CloudRenderRequest = {
  /** A public URL; http:// or https://. */
  url: string
  /** The format of `content`. raw: the document unchanged; markdown: with tables; text: as a reader sees it; png: a screenshot of the page, of at most its first 20,000 pixels in height, base64-encoded. */
  return_format?: 'raw' | 'markdown' | 'text' | 'png'
  /** The event that ends the loading of the page. */
  wait_for?: 'load' | 'domcontentloaded' | 'networkidle'
  /** Actions in the browser after the page has loaded and before it is read, in order; at most 20. Each waits up to 10 s for its element. If one fails, the request is 502 `fetch_failed` with the reason `action_failed` and its position, and costs nothing. Values are never stored or logged. */
  actions?: PageAction[]
}

export type CloudScreenshotRequest = {
  /** A public URL; http:// or https://. */
  url: string
  /** The event that ends the loading of the page. */
  wait_for?: 'load' | 'domcontentloaded' | 'networkidle'
  /** Actions in the browser after the page has loaded and before it is read, in order; at most 20. Each waits up to 10 s for its element. If one fails, the request is 502 `fetch_failed` with the reason `action_failed` and its position, and costs nothing. Values are never stored or logged. */
  actions?: PageAction[]
}

export type CloudLinksRequest = {
  /** A public URL; http:// or https://. */
  url: string
  /** Maximum number of URLs. */
  limit?: number
}

export type CloudLinks = Warned & {
  /** Absolute and in normal form, without duplicates, in document order. */
  links: string[]
  /** Number of links on the page, listed here or not. */
  total: number
  /** HTTP status of the target. */
  status: number
  /** URL of the page, after all redirects. */
  url: string
  /** The backend that fetched the page. */
  backend: 'http' | 'faithful' | 'browser' | 'proxy' | 'vendor'
  /** Every backend that was tried, in order. */
  tried: CloudTry[]
  /** Whether the site returned a challenge to every backend, which costs nothing. */
  blocked: boolean
  /** Bytes transferred in both directions by the attempt that counts; absent: not measured. */
  bytes_transferred?: number
  /** Cost in US dollars, beside cloud pages; 0: a backend of this installation. */
  cost_usd: number
  /** Milliseconds from the request to this response. */
  elapsed_ms: number
}

export type CloudProxyFetchRequest = {
  /** A public URL; http:// or https://. */
  url: string
  /** The kind of proxies to use. */
  pool?: 'datacenter' | 'isp' | 'residential' | 'mobile'
  /** An ISO 3166-1 alpha-2 code: the country of the proxy. */
  country?: string
}

export type CloudProxyFetched = Warned & {
  /** HTTP status of the target. */
  status: number
  /** URL of the page, after all redirects. */
  url: string
  /** The backend that fetched the page. */
  backend: 'http' | 'faithful' | 'browser' | 'proxy' | 'vendor'
  /** Every backend that was tried, in order. */
  tried: CloudTry[]
  /** Whether the site returned a challenge to every backend, which costs nothing. */
  blocked: boolean
  /** Bytes transferred in both directions; null: not measured. */
  bytes_transferred: number | null
  /** The decoded body as served. No scripts were run. */
  content: string
  /** Kind of the proxy. */
  pool: 'datacenter' | 'isp' | 'residential' | 'mobile'
  /** Country of the proxy; null: none was requested. */
  country: string | null
  /** Cost in US dollars, beside cloud pages; 0: a backend of this installation. */
  cost_usd: number
  /** Milliseconds from the request to this response. */
  elapsed_ms: number
}

export type CloudCrawlRequest = {
  /** A public URL; http:// or https://. */
  url: string
  /** Maximum number of pages. */
  limit?: number
  /** The format of `content`. markdown: with tables; raw: the document unchanged; text: as a reader sees it; commonmark: without any extension. */
  return_format?: 'markdown' | 'raw' | 'text' | 'commonmark'
  /** Run the scripts of the page in a browser, and read the result. */
  chrome?: boolean
}

export type CloudCrawl = Warned & {
  /** The pages, those with the fewest clicks from the first page first. */
  items: Array<{
    /** URL of the page, after all redirects. */
    url: string
    /** The page in the requested format. */
    content: string
    /** HTTP status of the target. */
    status: number
    /** Number of links between the first page and this page. */
    depth: number
    /** The backend that fetched the page. */
    backend: 'http' | 'faithful' | 'browser' | 'proxy' | 'vendor'
    /** Whether the site returned a challenge to every backend, which costs nothing. */
    blocked: boolean
  }>
  /** Up to 100 URLs that were found and could not, or must not, be fetched. They cost nothing. */
  failed: Array<{
    /** The URL in normal form. */
    url: string
    /** Reason, such as robots, out_of_scope, dns, connect, tls or timeout. */
    reason: string
  }>
  /** Cost in US dollars, beside cloud pages; 0: a backend of this installation. */
  cost_usd: number
  /** Milliseconds from the request to this response. */
  elapsed_ms: number
}

export type CloudSearchRequest = {
  /** The query, in the syntax of the search engine. */
  query: string
  /** Maximum number of results. */
  limit?: number
  /** The format of `content`. markdown: with tables; raw: the document unchanged; text: as a reader sees it; commonmark: without any extension. */
  return_format?: 'markdown' | 'raw' | 'text' | 'commonmark'
}

export type CloudSearch = Warned & {
  /** Best first. Each costs one cloud page. */
  results: Array<{
    /** As the search engine states it. */
    url: string
    /** As the search engine states it. */
    title: string
    /** The page; if it could not be fetched, the snippet of the search engine, with a warning. */
    content: string
  }>
  /** Cost in US dollars, beside cloud pages; 0: a backend of this installation. */
  cost_usd: number
  /** Milliseconds from the request to this response. */
  elapsed_ms: number
}

export type CloudTransformRequest = {
  /** The document: HTML as text, PDF base64-encoded. */
  data: string
  /** The format of `data`. PDF is rejected with 422 if the installation does not support it. */
  input_kind?: 'html' | 'pdf_base64'
  /** The format of `content`. markdown: with tables; text: as a reader sees it; raw: the document unchanged. */
  return_format?: 'markdown' | 'text' | 'raw'
  /** The main content only. */
  readability?: boolean
}

export type CloudDocument = Warned & {
  /** The document in the requested format. */
  content: string
  /** Always 200, as nothing is fetched. */
  status: number
  /** The format of `content`. */
  return_format: string
  /** The engine that converted the document. */
  engine: string
  /** Cost in US dollars, beside cloud pages; 0: a backend of this installation. */
  cost_usd: number
  /** Milliseconds from the request to this response. */
  elapsed_ms: number
}

export type CloudScraperList = Warned & {
  /** Ordered by domain. */
  scrapers: Array<{
    /** The domain to use in the request. */
    domain: string
    /** Patterns of the paths that the scraper reads. */
    paths: string[]
    /** The fields of each entry of `data`, with their types. */
    data_shape: Record<string, string>
  }>
  /** Number of scrapers of this installation. */
  total: number
}

export type CloudFetchRequest = {
  /** Parameters beside the path. Each scraper documents its own. */
  params?: Record<string, unknown>
}

export type CloudData = Warned & {
  /** The entries of the page, with the fields of `data_shape`. */
  data: Record<string, unknown>[]
  /** HTTP status of the target. */
  status: number
  /** URL of the page, after all redirects. */
  url: string
  /** The backend that fetched the page. */
  backend: 'http' | 'faithful' | 'browser' | 'proxy' | 'vendor'
  /** Every backend that was tried, in order. */
  tried: CloudTry[]
  /** Whether the site returned a challenge to every backend, which costs nothing. */
  blocked: boolean
  /** Bytes transferred in both directions by the attempt that counts; absent: not measured. */
  bytes_transferred?: number
  /** Cost in US dollars, beside cloud pages; 0: a backend of this installation. */
  cost_usd: number
  /** Milliseconds from the request to this response. */
  elapsed_ms: number
}

export type CloudBalance = Warned & {
  /** In US dollars; 0: no vendor; null: the vendor does not state it. */
  balance_usd: number | null
  /** Always this value. */
  currency: 'USD'
  /** Whether there is a vendor with a balance. */
  configured: boolean
}

/** An engine for `POST /v1/cloud/search`. */
export type CloudEngine = {
  /** Whether this installation has it configured. */
  configured: boolean
  /** The setting that configures it; null: no setting is needed. */
  setting: string | null
}

export type CloudHealth = Warned & {
  /** Whether a browser, a proxy pool or a vendor is configured. The client with the TLS fingerprint of a browser needs no setting, and does not count. */
  configured: boolean
  /** In US dollars; 0: no vendor; null: the vendor does not state it. */
  balance_usd: number | null
  /** Usage of the project in the last 24 hours. */
  last_24h: {
    /** Cloud pages that were billed. */
    cloud_pages: number
    /** Their cost in US dollars. */
    cloud_cost_usd: number
  }
  /** The configured backends. */
  backends: {
    /** A browser of this installation. */
    browser: boolean
    /** A client with the TLS fingerprint of a browser. */
    faithful: boolean
    /** Proxy pools, each with its countries. */
    proxy_pools: string[]
    /** A vendor's network of browsers and proxies. */
    vendor: boolean
    /** An engine for `POST /v1/cloud/search`. */
    search: boolean
  }
  /** The same for each engine, with the setting that it needs. */
  engines: {
    faithful: CloudEngine
    browser: CloudEngine
    proxy: CloudEngine
    vendor: CloudEngine
    search: CloudEngine
  }
}

export type StructuredDataRequest = {
  /** A public URL; http:// or https://. */
  url: string
}

export type StructuredDataAnswer = Warned & {
  /** Name of the actor. */
  actor: 'structured-data'
  /** The requested URL. */
  url: string
  /** Milliseconds from the request to this response. */
  elapsed_ms: number
  /** The result of the actor. */
  data: {
    /** Number of objects in each syntax. */
    counts: {
      /** JSON-LD as written. The members of an array are listed separately, and a graph is one object. */
      'json-ld': number
      /** Microdata items in the JSON form of the WHATWG HTML standard, 5.5.1. */
      microdata: number
      /** Nodes as expanded JSON-LD. */
      rdfa: number
      /** Properties by full names such as og:title. The page is one object. */
      opengraph: number
      /** Terms by names such as dc.title. The page is one object. */
      dublincore: number
      /** Items in the form of microformats2 parsers. */
      microformat: number
    }
    /** The objects, by syntax. */
    data: {
      /** JSON-LD as written. The members of an array are listed separately, and a graph is one object. */
      'json-ld': Record<string, unknown>[]
      /** Microdata items in the JSON form of the WHATWG HTML standard, 5.5.1. */
      microdata: Record<string, unknown>[]
      /** Nodes as expanded JSON-LD. */
      rdfa: Record<string, unknown>[]
      /** Properties by full names such as og:title. The page is one object. */
      opengraph: Record<string, unknown>[]
      /** Terms by names such as dc.title. The page is one object. */
      dublincore: Record<string, unknown>[]
      /** Items in the form of microformats2 parsers. */
      microformat: Record<string, unknown>[]
    }
    /** Errors in the data, and parts beyond a limit. */
    errors: Array<{
      /** The syntax with the error. */
      syntax: string
      /** The error of the block, or the part of it that was left out, as a stable code. */
      reason: string
      /** Number of the JSON-LD block, counted from 0. */
      block: number | null
      /** UTF-16 units from the start of that block. */
      position: number | null
    }>
  }
  /** URL of the page, after all redirects. */
  final_url?: string
  /** HTTP status of the page. */
  status_code?: number
}

export type AuditOnpageRequest = {
  /** A public URL; http:// or https://. */
  url: string
}

export type AuditOnpageAnswer = Warned & {
  /** Name of the actor. */
  actor: 'audit-onpage'
  /** The requested URL. */
  url: string
  /** Milliseconds from the request to this response. */
  elapsed_ms: number
  /** The result of the actor. */
  data: {
    /** Number of findings by severity. */
    summary: {
      /** Number of errors. */
      errors: number
      /** Number of warnings. */
      warnings: number
      /** Number of notices. */
      info: number
    }
    /** At most one per rule, errors first. */
    findings: Array<{
      /** Id of the rule: `area/name`. Ids never change; docs/audit-rules.md lists all of them. */
      rule: string
      /** `error`: broken, or hidden from people or search engines. `warning`: probably a loss. `info`: worth knowing. */
      severity: 'error' | 'warning' | 'info'
      /** The problem and the remedy. */
      message: string
      /** Number of occurrences, for rules that can match several times. */
      count?: number
      /** The first occurrences as written in the page, each cut to 160 characters. */
      samples: string[]
    }>
    /** Counts of the page; all 0 if it is not HTML. */
    stats: {
      /** Number of words of the visible text. */
      word_count: number
      /** Number of links to other URLs. */
      link_count: number
      /** Number of `<img>` elements. */
      image_count: number
      /** Number of elements `<h1>` to `<h6>`. */
      heading_count: number
      /** Bytes of the HTML, uncompressed. */
      html_bytes: number
      /** Bytes of the visible text in UTF-8, white space collapsed. */
      text_bytes: number
      /** text_bytes of html_bytes, as a fraction. */
      content_ratio: number
      /** Whether there is JSON-LD that can be parsed. */
      has_json_ld: boolean
    }
  }
  /** URL of the page, after all redirects. */
  final_url?: string
  /** HTTP status of the page. */
  status_code?: number
}

export type ExtractArticleRequest = {
  /** A public URL; http:// or https://. */
  url: string
  /** The format of `content`. markdown: with absolute links and images; text: with an empty line between paragraphs. */
  format?: 'markdown' | 'text'
  /** Add the comments of readers, separate from the article. */
  include_comments?: boolean
  /** Reading speed in words per minute. Default: 230. */
  wpm?: number
}

export type ExtractArticleAnswer = Warned & {
  /** Name of the actor. */
  actor: 'extract-article'
  /** The requested URL. */
  url: string
  /** Milliseconds from the request to this response. */
  elapsed_ms: number
  /** The result of the actor. */
  data: {
    /** The format of `content`. */
    format: 'markdown' | 'text'
    /** The article alone. Without an article: the visible text of the page, or the text of a text document. Empty: no text. */
    content: string
    /** Number of words of the content. In scripts without spaces, two characters (Chinese, Japanese) or four (Thai and others) count as a word. */
    word_count: number
    /** Whole seconds to read the content at `wpm`, rounded up. */
    reading_time_seconds: number
    /** Words per minute used for the reading time. */
    wpm: number
    /** Metadata of the article. */
    metadata: {
      /** Title of the article, without the name of its site; null: not stated. */
      title: string | null
      /** Names of its authors, separated by commas; null: not stated. */
      byline: string | null
      /** The name of its site; null: not stated. */
      site_name: string | null
      /** Day (2026-01-02), or RFC 3339 if the page states the time; null: not stated. */
      published: string | null
      /** The same for its last modification, if the page states it. */
      modified: string | null
      /** Its language (BCP 47) as stated, otherwise guessed from its words; null: unknown. */
      lang: string | null
      /** Content of the description meta element; null: absent. */
      description: string | null
      /** The description that the page states, otherwise the beginning of the text; null: no text. */
      excerpt: string | null
      /** The image for link previews, otherwise the first image of the text; absolute, null: none. */
      image: string | null
      /** The canonical link, absolute; null: absent. */
      canonical: string | null
      /** The detected type of the page. All posts of a forum are content, and the texts of all items of a listing; null: not HTML. */
      page_kind: 'article' | 'forum' | 'listing' | null
      /** Confidence from 0, a guess, to 1: the agreement of the signs of an article. */
      confidence: number
    }
    /** Comments of readers as text, with an empty line between paragraphs; empty: no comments. Null unless `include_comments` is true. */
    comments: string | null
  }
  /** URL of the page, after all redirects. */
  final_url?: string
  /** HTTP status of the page. */
  status_code?: number
}

export type RenderDiffRequest = {
  /** A public URL; http:// or https://. */
  url: string
}

/** One version of the page. `static`: as served; `rendered`: after its scripts have run. */
export type RenderDiffSide = {
  /** Words of its text, as the signals of a scan count them. */
  word_count: number
  /** Links to other pages, duplicates included. */
  link_count: number
  /** Headings of all six levels that are shown and have text. */
  heading_count: number
  /** Number of JSON-LD objects. */
  json_ld_count: number
  /** Bytes of the document, uncompressed. */
  html_bytes: number
  /** Number of letters and digits of its visible text. */
  text_chars: number
  /** URL of the page, after all redirects. */
  final_url: string
  /** HTTP status of the response. */
  status_code: number
}

export type RenderDiffAnswer = Warned & {
  /** Name of the actor. */
  actor: 'render-diff'
  /** The requested URL. */
  url: string
  /** Milliseconds from the request to this response. */
  elapsed_ms: number
  /** The result of the actor. */
  data: {
    static: RenderDiffSide
    rendered: RenderDiffSide
    /** The parts of the rendered page that the static page lacks. */
    delta: {
      /** Targets of links that only scripts add. The first 25. */
      links_only_after_render: string[]
      /** Texts of headings that only scripts add. The first 25. */
      headings_only_after_render: string[]
      /** Types of JSON-LD objects that only scripts add, such as Product; (none): an object without a type. The first 25. */
      json_ld_only_after_render: string[]
      /** Number of each, including those not listed. */
      counts_only_after_render: {
        /** Number of distinct targets. */
        links: number
        /** Number of distinct texts. */
        headings: number
        /** Number of distinct objects. */
        json_ld: number
      }
      /** Number of letters and digits of rendered words that the static text lacks. It has a word if the word has the same neighbours there: two of them in a row or, in a block of fewer than three words, the whole block. Text that only moved or is repeated is therefore not counted, nor is text that the static page contains but hides. */
      text_chars_only_after_render: number
      /** text_chars_only_after_render in percent of text_chars of the rendered page, to a tenth: the share that is invisible to bots that run no scripts. 0 if it has no text. */
      ai_bot_blind_pct: number
      /** none: less than 5 % blind; partial: 5 to 40 %; severe: more. */
      assessment: 'none' | 'partial' | 'severe'
    }
    /** Cost of the browser in US dollars; 0: a browser of this installation. */
    rendered_cost_usd: number
  }
  /** URL of the page, after all redirects. */
  final_url?: string
  /** HTTP status of the page. */
  status_code?: number
}

export type CheckLinksRequest = {
  /** A page whose links are checked, up to 1000 of them. */
  url?: string
  /** Up to 200 links to check, instead of url. Duplicates are checked once. */
  urls?: string[]
  /** Retry links that block this service with a cloud backend, at most 50. Costs one cloud page per URL retried by a cloud backend. */
  cloud_retry?: boolean
  /** Retry with a browser or a proxy. */
  cloud_retry_mode?: 'chrome' | 'proxy'
  /** Kind of the proxy for cloud_retry_mode proxy. Default: residential. */
  proxy_pool?: 'datacenter' | 'isp' | 'residential' | 'mobile'
  /** Concurrent requests, from 1 to 64. Other values are set to the nearest bound. At most four to one host. */
  max_concurrent?: number
}

export type CheckLinksAnswer = Warned & {
  /** Name of the actor. */
  actor: 'check-links'
  /** The requested URL. */
  url: string
  /** Milliseconds from the request to this response. */
  elapsed_ms: number
  /** The result of the actor. */
  data: {
    /** The page that contains the links; null: the request sent a list. */
    source_url: string | null
    /** Number of items. */
    total: number
    /** Number of items that are ok. */
    ok: number
    /** Number of items that are broken. */
    broken: number
    /** Number of items that are excluded. */
    excluded: number
    /** Number of links that a cloud backend retried. */
    cloud_retried: number
    /** Number of retried links that the cloud backend could fetch. */
    cloud_recovered: number
    /** Cost of the retries in US dollars, beside cloud pages. */
    cloud_cost_usd: number
    /** Each link once, in the order of the page or the list. */
    items: Array<{
      /** The link. Entries of urls are as sent, cut to 8,192 characters. */
      url: string
      /** HTTP status after all redirects; null: no response. */
      status_code: number | null
      /** excluded: unknown whether it is broken, because it was not requested, or its site blocked the request. LINKCHECK_BLOCKED can count blocked links as broken. */
      status: 'ok' | 'broken' | 'excluded'
      /** Whether the site blocked the request and a cloud backend fetched the link. */
      recovered_via_cloud: boolean
      /** The reason why it is not ok, in one sentence. */
      error: string | null
      /** Why it is not ok. not_found: it responds with 404; gone: it responds with 410; client_error: it responds with another status from 400 to 499; server_error: it responds with a status from 500 to 599, twice; dns: the name of its host does not resolve; connect: the connection failed; tls: the TLS handshake failed; timeout: it did not respond in time, twice; protocol: its response is not valid HTTP, or is incomplete; too_large: its response exceeds the size limit; too_many_redirects: its redirects form a loop, or there are more than ten; bad_redirect: its redirect has no valid http(s) URL; fragment_not_found: no element of the page has the name of the fragment; bad_url: it is not a valid URL; blocked: the site rejects the crawler, with 401, 403, 407, 429, 451, 999 or a challenge for bots; scheme: its scheme belongs to another program than a browser, such as mailto:; robots: robots.txt disallows it; private_address: it leads to an address that is not on the public internet; blocked_domain: its host is on the blocklist; unsupported_url: it has a user and password, or a port to which no requests are sent; throttled: its host requested a longer pause than a check waits; page_cap: the project has no pages left; not_asked: it was not requested in time, or four other links of its host timed out. */
      reason: 'not_found' | 'gone' | 'client_error' | 'server_error' | 'dns' | 'connect' | 'tls' | 'timeout' | 'protocol' | 'too_large' | 'too_many_redirects' | 'bad_redirect' | 'fragment_not_found' | 'bad_url' | 'blocked' | 'scheme' | 'robots' | 'private_address' | 'blocked_domain' | 'unsupported_url' | 'throttled' | 'page_cap' | 'not_asked' | null
      /** The element with which the page first links to it. */
      kind?: 'link' | 'image' | 'script' | 'stylesheet'
      /** URL after all redirects; absent: no redirect. */
      redirected_to?: string
      /** In order; absent: no redirect. */
      redirects?: Array<{
        /** The URL that redirects, cut to 1,024 characters. */
        url: string
        /** HTTP status of the redirect. */
        status: number
      }>
      /** Whether the page has an element for the fragment; absent: not checked. */
      anchor?: 'ok' | 'missing'
    }>
  }
  /** URL of the page, after all redirects. */
  final_url?: string
  /** HTTP status of the page. */
  status_code?: number
}

export type SitemapAuditRequest = {
  /** A public URL; http:// or https://. */
  url: string
  /** Maximum number of pages to probe, in the order of the sitemaps. */
  max_urls?: number
  /** Read the sitemaps and count their pages without probing any. Nothing is billed. */
  dry_run?: boolean
}

export type SitemapAuditAnswer = Warned & {
  /** Name of the actor. */
  actor: 'sitemap-audit'
  /** The requested URL. */
  url: string
  /** Milliseconds from the request to this response. */
  elapsed_ms: number
  /** The result of the actor. */
  data: {
    /** URLs of the sitemaps that could be read, in the order of their discovery. */
    sitemaps_found: string[]
    /** Number of pages in all sitemaps, duplicates included. */
    total_urls_in_sitemap: number
    /** Number of pages that were requested, each once. */
    total_urls_probed: number
    /** Number of pages that were not requested: they must not be (private_address, blocked_domain, bad_url), or this service failed (internal). They are listed, and cost nothing. */
    total_urls_refused: number
    /** Number of billed pages. It equals the number of probed pages. */
    pages_billed: number
    /** Pages that were probed or rejected, by bucket. */
    summary: {
      /** Pages with status 2xx that may be indexed and are their own canonical. */
      ok: number
      /** Pages with status 3xx. */
      redirect: number
      /** Pages with status 4xx or with an undefined status. */
      client_error: number
      /** Pages with status 5xx. */
      server_error: number
      /** Pages that robots meta or X-Robots-Tag excludes from an index, including by an unavailable_after that has passed. */
      noindex: number
      /** Pages whose canonical is another URL. */
      canonicalised_away: number
      /** Pages without a readable response, and pages that must not be requested. */
      network_error: number
    }
    /** Every page that was probed or rejected. */
    items: Array<{
      /** The URL in the sitemap, absolute and without its fragment. */
      url: string
      /** HTTP status without following redirects; null: no response. */
      status_code: number | null
      /** The gravest fault of the page; `ok`: no fault. */
      bucket: 'network_error' | 'server_error' | 'client_error' | 'redirect' | 'noindex' | 'canonicalised_away' | 'ok'
      /** Canonical in normal form, from the head or the Link header; null: none is stated or valid. */
      canonical: string | null
      /** The X-Robots-Tag header, unchanged. */
      x_robots_tag: string | null
      /** Directives of the robots metas in lower case: general ones first, then by bot name, as in `googlebot: noindex`. */
      meta_robots: string | null
      /** Last modification of the page, as stated by the sitemap. */
      lastmod: string | null
      /** Reason of a network_error: private_address, blocked_domain, bad_url, dns, connect, tls, timeout, protocol … */
      error: string | null
      /** Target of the redirect; null: no redirect, or no valid target. */
      redirected_to: string | null
      /** The first sitemap that lists it. */
      found_in: string
      /** Vendor of the challenge that replaced the page. */
      challenge: string | null
    }>
    /** Every sitemap that is listed. */
    sitemaps: Array<{
      /** The URL as listed. */
      url: string
      /** The URL after redirects, if it differs. */
      final_url?: string
      /** HTTP status; null: no response. */
      status: number | null
      /** Number of pages that it lists, duplicates included. */
      urls: number
      /** Number of entries that repeat a page listed before. Each page is probed once. */
      repeated: number
      /** Number of images that it lists beside its pages. */
      images: number
      /** Number of videos that it lists beside its pages. */
      videos: number
      /** Number of versions of its pages in other languages (hreflang). */
      alternates: number
      /** Number of further sitemaps that it lists. */
      sitemaps: number
      /** Number of entries that are not a URL which can be fetched. They are not probed. */
      unusable: number
      /** Reason why it was not read, or only in part: http_status, not_a_sitemap, broken_encoding, incomplete, index_in_index, other_site, too_many, dns, connect, timeout … */
      error: string | null
      /** The reason in words. */
      message: string | null
    }>
    /** Invalid modification dates, over all sitemaps. */
    lastmod_problems: {
      /** Dates in the future. */
      future: number
      /** Values that are not a date of the W3C profile of ISO 8601. */
      unreadable: number
    }
  }
  /** URL of the page, after all redirects. */
  final_url?: string
  /** HTTP status of the page. */
  status_code?: number
}

export type LinkGraphRequest = {
  /** A crawl of this project. */
  crawl_id: number
  /** Maximum number of entries in each list. */
  top_n?: number
}

export type LinkGraphAnswer = Warned & {
  /** Name of the actor. */
  actor: 'internal-link-graph'
  /** The requested URL. */
  url: string
  /** Milliseconds from the request to this response. */
  elapsed_ms: number
  /** The result of the actor. */
  data: {
    /** Highest first, then by URL. A page passes the same share to each other page that it links to, however many links there are. Links with nofollow, and links of a page whose robots meta or X-Robots-Tag states nofollow, pass nothing. A page that is linked to only in this way still counts as linked to, and its share is spread over all pages, like the rank of pages without links. A page whose canonical URL is another page of the crawl passes its whole rank to that page. */
    pagerank: Array<{
      /** URL of the page. */
      url: string
      /** PageRank with damping 0.85. The ranks of all pages add up to 1. */
      score: number
    }>
    /** Highest count first, then by URL. Pages with a count of 0 are left out. */
    top_donors: Array<{
      /** URL of the page. */
      url: string
      /** Number of other pages that it links to by followed links. */
      edges: number
    }>
    /** Highest count first, then by URL. Pages with a count of 0 are left out. A link to a URL that redirected counts for its target. */
    top_recipients: Array<{
      /** URL of the page. */
      url: string
      /** Number of other pages that link to it by followed links. */
      edges: number
    }>
    /** The link texts to the pages with the most incoming links, in their order. */
    anchor_text_by_target: Array<{
      /** URL of the page. */
      url: string
      /** Up to 20 texts, the most frequent first, then by text. */
      anchors: Array<{
        /** Text of the link; empty: it has none. */
        text: string
        /** Number of links from other pages with that text. */
        count: number
      }>
    }>
    /** Pages that cannot be reached from the first page of the crawl (or from the root of its host, if the seed is not a page) by followed links, redirects and canonical URLs. Pages that these connect form a cluster. Largest first, then by URL. */
    orphan_clusters: Array<{
      /** Number of pages in the cluster. */
      size: number
      /** Its first pages by URL: up to 100, and up to 2,000 of all clusters together. */
      urls: string[]
    }>
    /** Totals of the graph and of the computation. */
    stats: {
      /** Number of pages that were analysed, whatever their status; at most 100,000. */
      pages: number
      /** Number of pairs of pages in which the first links to the second by a followed link. */
      edges: number
      /** Number of parts that no edge and no canonical URL connects, in either direction. */
      components: number
      /** Number of iterations. */
      iterations: number
      /** Whether the last iteration changed all ranks together by less than 1e-12. */
      converged: boolean
      /** Number of clusters, of which orphan_clusters lists the largest. */
      orphan_clusters: number
      /** Number of pages in all clusters. */
      orphan_pages: number
    }
  }
  /** URL of the page, after all redirects. */
  final_url?: string
  /** HTTP status of the page. */
  status_code?: number
}

export type AuditSiteRequest = {
  /** A crawl of this project. */
  crawl_id: number
  /** An earlier crawl of this project. Its stored pages are audited too, and the findings of both are compared. */
  against?: number
  /** Maximum number of examples of each rule. */
  examples?: number
  /** The format of the list: json by default, unless the Accept header prefers application/x-ndjson or text/csv. */
  format?: 'json' | 'ndjson' | 'csv'
}

export type AuditSiteAnswer = Warned & {
  /** Name of the actor. */
  actor: 'audit-site'
  /** The requested URL. */
  url: string
  /** Milliseconds from the request to this response. */
  elapsed_ms: number
  /** The result of the actor. */
  data: {
    /** The audited crawl. */
    crawl_id: number
    /** The earlier crawl; null: none. */
    against: number | null
    /** Number of pages and findings. */
    summary: {
      /** Number of pages of the crawl that were read, at most 100,000. */
      pages: number
      /** Number of audited pages. */
      audited: number
      /** Number of other pages by reason: blocked (a challenge), not_stored, too_large, undecodable, timeout, time_limit. */
      not_audited: Record<string, number>
      /** Number of findings: pairs of a page and a rule. */
      findings: number
      /** Number of errors. */
      errors: number
      /** Number of warnings. */
      warnings: number
      /** Number of notices. */
      info: number
      /** Number of new findings; null without `against`. */
      new: number | null
      /** Number of findings in both crawls; null without `against`. */
      same: number | null
      /** Number of findings of the earlier crawl only; null without `against`. */
      gone: number | null
      /** Number of gone findings whose page this crawl does not have; null without `against`. */
      gone_with_page: number | null
      /** Number of findings of one crawl that were not compared, because the audit of the other does not cover the page or the rule; null without `against`. */
      not_compared: number | null
    }
    /** The rules with a finding in either crawl: errors first, then by the number of pages. */
    rules: Array<{
      /** Id of the rule: `area/name`. Ids never change; docs/audit-rules.md lists all of them. */
      rule: string
      /** `error`: broken, or hidden from people or search engines. `warning`: probably a loss. `info`: worth knowing. */
      severity: 'error' | 'warning' | 'info'
      /** The problem, with its thresholds. */
      finds: string
      /** Why it matters. */
      reason: string
      /** The remedy. For a rule of a page: the message of the first example. */
      remedy: string
      /** The source of the rule. */
      source: {
        /** The document that supports the rule. */
        name: string
        /** Its address. */
        url: string
      }
      /** Number of pages with the finding. */
      count: number
      /** count of the audited pages, as a fraction. */
      share: number
      /** Sum of the occurrences on all pages. */
      occurrences: number
      /** Pages with a finding that they did not have in the earlier crawl, or that the earlier crawl did not contain; null without `against`. */
      new: number | null
      /** Pages with the finding in both crawls; null without `against`. */
      same: number | null
      /** Pages of the earlier crawl with a finding that this crawl does not have; null without `against`. */
      gone: number | null
      /** New findings first, then in the order of the page ids. */
      examples: Array<{
        /** URL of the page. */
        url: string
        /** The page. */
        page_id: number
        /** The problem and the remedy, as audit-onpage states them. */
        message: string
        /** Number of occurrences on the page, for rules that can match several times. */
        count?: number
        /** For a rule of a page: the first occurrences. For a rule of the site: other URLs of the finding. */
        samples: string[]
        /** PageRank of the page, as in internal-link-graph; null for a page of the earlier crawl. */
        pagerank: number | null
        /** The comparison with the crawl in `against`; null: not compared, because `against` is missing, has no complete audit of the page, or the rule does not apply to it. */
        change: 'new' | 'same' | 'gone' | null
      }>
    }>
    /** Rules of audit-onpage, and of the site, that do not apply to this crawl. */
    not_applied: Array<{
      /** Id of the rule: `area/name`. Ids never change; docs/audit-rules.md lists all of them. */
      rule: string
      /** The reason, such as data that a crawl does not store. */
      because: string
    }>
  }
  /** URL of the page, after all redirects. */
  final_url?: string
  /** HTTP status of the page. */
  status_code?: number
}

export type CrawlShareRequest = {
  /** Hours until the address ends. */
  expires_in_hours?: number
}

export type CrawlShare = Warned & {
  /** The address. It opens the crawl in the console without a key, for every person that has it. It also ends with the key that made it, and by DELETE of the same path. */
  url: string
  /** Time at which the address ends. */
  expires_at: string
}

export type WebhookSecret = Warned & {
  /** The secret in hex. Its bytes are the key of HMAC-SHA256. X-Crawler-Signature is "sha256=" and the hex digest of the raw body. */
  secret_hex: string
}

export type SecretRotation = {
  /** Seconds for which the earlier secrets sign beside the new one; 0 ends them at once. */
  grace_seconds?: number
}

export type Redelivery = {
  /** A time in RFC 3339: deliveries that ended before this time are skipped. */
  since: string
  /** The deliveries to repeat. Only dead ones are redelivered. */
  state?: 'dead'
}

export type RedeliveryStarted = Warned & {
  /** Number of deliveries that are repeated. */
  redelivered: number
  /** Number of dead deliveries that remain, as one request repeats at most 1,000. Send the request again. */
  left: number
}

export type WebhookTest = {
  /** The receiver. */
  url: string
}

export type WebhookTestResult = Warned & {
  /** The `webhook-id` of the sample. */
  id: string
  /** Whether the receiver accepted it with a 2xx. */
  delivered: boolean
  /** HTTP status of the receiver; null: no response. */
  status: number | null
  /** Duration in milliseconds, from the DNS lookup to the last byte of the response. */
  latency_ms: number
  /** Reason of the failure; null: accepted. */
  error: string | null
  /** Beginning of the response if it is text and not a 2xx; null otherwise. */
  response_excerpt: string | null
}

export type WebhookAttempt = {
  /** 1 at first. Each redelivery begins another round. */
  round: number
  /** Number of the attempt within its round. */
  attempt: number
  /** Time of the attempt. */
  at: string
  /** HTTP status of the receiver; null: no response. */
  status: number | null
  /** Duration in milliseconds, from the DNS lookup to the last byte of the response. */
  latency_ms: number
  /** Reason of the failure; null: accepted. */
  error: string | null
  /** Beginning of the response if it is text and not a 2xx; null otherwise. */
  response_excerpt: string | null
}

export type WebhookDelivery = Warned & {
  /** Its `webhook-id`, the same in every attempt, by which receivers recognise repetitions. */
  id: string
  /** The crawl of the webhook. */
  run_id: number
  /** The event. */
  event: 'crawl.done' | 'crawl.diff_detected' | 'crawl.started' | 'page.fetched' | 'crawl.failed'
  /** URL of the receiver. */
  url: string
  /** pending, delivered, dead, suppressed_no_change, suppressed_no_baseline or suppressed_no_match. */
  state: string
  /** Time at which the delivery was created. */
  decided_at: string
  /** Time at which its state became final; null: pending. */
  ended_at: string | null
  /** Time of the next attempt; null: an attempt is under way, or the state is final. */
  next_attempt_at: string | null
  /** The latest 100, in chronological order. */
  attempts: WebhookAttempt[]
}

export type WebhookDeliveryList = Warned & {
  /** The delivery of the end, then those of crawl.started, page.fetched and crawl.failed in the order of their decisions. Empty if the crawl has no webhook. */
  items: WebhookDelivery[]
  /** Offset of the next part; absent: this is the last part. */
  next_offset?: number
}

export type Usage = Warned & {
  /** The tier of the project. */
  tier: 'free' | 'pro' | 'agency' | 'studio'
  /** The caps of the project. */
  caps: {
    /** null: no limit. */
    pages_per_day: number | null
    /** null: no limit. */
    pages_per_month: number | null
    /** null: no limit. */
    cloud_pages_per_day: number | null
  }
  /** Usage since midnight, UTC. */
  today: {
    /** A day in UTC. */
    date: string
    /** Number of billed pages. */
    pages: number
    /** Number of billed cloud pages, which are fetched past bot protection or rendered. */
    cloud_pages: number
    /** Their cost in US dollars. */
    cloud_cost_usd: number
    /** Usage in percent of the cap; 0 without a cap. */
    pages_pct: number
    /** Usage in percent of the cap; 0 without a cap. */
    cloud_pages_pct: number
  }
  /** Usage since the first of the month, UTC. */
  month: {
    /** Number of billed pages. */
    pages: number
    /** Number of billed cloud pages, which are fetched past bot protection or rendered. */
    cloud_pages: number
    /** Their cost in US dollars. */
    cloud_cost_usd: number
    /** Usage in percent of the cap; 0 without a cap. */
    pages_pct: number
  }
  /** Seconds to the reset at midnight UTC. */
  retry_after_seconds: number
}

export type UsageHistory = Warned & {
  /** Every day up to today (UTC), oldest first. */
  days: Array<{
    /** A day in UTC. */
    date: string
    /** Number of billed pages. */
    pages: number
    /** Number of billed cloud pages, which are fetched past bot protection or rendered. */
    cloud_pages: number
    /** Their cost in US dollars. */
    cloud_cost_usd: number
  }>
}

export type LedgerItem = {
  /** Time at which the page was fetched or failed. */
  at: string
  /** The day (UTC) on which it is billed. */
  day: string
  /** The kind of unit. model_call: a call of the language model, which is not a page and has a daily cap of its own. */
  kind: 'page' | 'cloud_page' | 'model_call'
  /** 1, or 0 if it cost nothing. */
  units: number
  /** Outcome. billed: it was delivered; cached: it came from the store, as max_age_seconds allows; failed: it could not be fetched; blocked: the site responded with a challenge for bots. */
  reason: 'billed' | 'cached' | 'failed' | 'blocked'
  /** The requested operation, such as crawl, scan or scan_bulk. */
  operation: string
  /** The crawl of the page, even if it is deleted. */
  run_id: number | null
  /** The page; null: no page was stored. */
  page_id: number | null
  /** X-Request-Id of the request. */
  request_id: string | null
  /** The URL. Null: the crawl was deleted, and its bill stays. */
  url: string | null
  /** Number of the attempt that fetched the page. */
  attempt: number | null
  /** Cost of the backend beside the unit. */
  cost_usd: number
  /** The language model; null: the row is a page. */
  model: string | null
  /** Tokens that the model received. */
  input_tokens: number | null
  /** Tokens that the model wrote. */
  output_tokens: number | null
}

export type Ledger = Warned & {
  /** In the order in which they were written. */
  items: LedgerItem[]
  /** Offset of the next part; null: this is the last part. */
  next_offset: number | null
}

export type ApiKey = {
  /** The first 12 characters of the key. */
  prefix: string
  /** Label of the key. Keys without one show how they were created, such as `signup` or `rotated`. */
  label: string
  /** Time of creation. */
  created_at: string
  /** Time of the last use, up to a minute old; null: never used. */
  last_used_at: string | null
  /** Time of the revocation; null: not revoked. */
  revoked_at: string | null
  /** Expiry; null: the key does not expire. */
  expires_at: string | null
}

export type ApiKeyList = Warned & {
  /** Valid, expired and revoked keys. */
  items: ApiKey[]
}

export type KeyRotation = {
  /** Label: the purpose of the key. */
  label?: string
  /** Seconds for which the existing keys stay valid beside the new one; 0 ends them at once. */
  grace_seconds?: number
}

export type RotatedKey = Warned & {
  /** The secret of the key, shown only once. */
  api_key: string
  /** The first 12 characters of the key. */
  prefix: string
  /** Label of the key; `rotated` if none was given. */
  label: string
  /** Seconds for which the earlier keys stay valid. */
  grace_seconds: number
}

export type Billing = Warned & {
  /** Tier of the project. */
  tier: 'free' | 'pro' | 'agency' | 'studio'
  /** Customer id of the payment provider. */
  payment_customer_id: string | null
  /** Subscription id of the payment provider. */
  payment_subscription_id: string | null
  /** Status of the subscription, as the payment provider stated it at the purchase; null: no subscription. */
  subscription_status: string | null
  /** Mail address of the signup; null: the operator created the project. */
  email: string | null
  /** mock: test mode without payments. */
  billing_mode: 'live' | 'mock'
}

export type ModelConsent = Warned & {
  /** Whether addresses and text of pages may be sent to the model. A consent is for one host, and ends when the operator chooses another host. */
  consent: boolean
  /** Name of the language model; null: this installation has none. */
  model: string | null
  /** The host that receives addresses and text; null: there is no model. */
  host: string | null
  /** The model of embeddings, which exports use; null: this installation has none. A consent is for both models. */
  embeddings?: {
    /** Whether text of pages may be sent to this model. */
    consent: boolean
    /** Name of the model. */
    model: string
    /** The host that receives the text. */
    host: string
  } | null
  /** Time of the consent; null: without one. */
  changed_at: string | null
  /** Prefix of the key that gave it. */
  changed_by: string | null
}

export type ModelConsentRequest = {
  /** true: addresses and text of pages may be sent to the host of the model. false: withdraws the consent. */
  consent: boolean
}

export type LogEntry = {
  /** Time of the call. */
  ts: string
  /** HTTP method, such as GET. */
  method: string
  /** Path without the query. */
  path: string
  /** HTTP status of the response; 499: the client disconnected before it began. */
  status: number
  /** Milliseconds until the response was sent. */
  duration_ms: number
  /** Address of the client, according to the trusted proxies. */
  client_ip: string
  /** X-Request-Id of the response. */
  request_id: string
}

export type LogList = Warned & {
  /** Newest first. */
  items: LogEntry[]
  /** Offset of the next part; null: this is the last part. */
  next_offset: number | null
}

/** The judgement of the language model. Only for monitors with an intent. */
export type IntentVerdict = {
  /** Whether the changes are those of the intent; null: unknown. */
  matched: boolean | null
  /** A sentence of the language model. For null one of: no_baseline, not_compared, not_stored, not_configured, no_consent, model_calls, model_failed, not_quoted, lines_left_out, timeout. */
  reason: string
  /** The changed lines on which the judgement is based. */
  quotes: Array<{
    /** The page of the line. */
    url: string
    /** Whether the newer page has the line, or only the older one. */
    change: 'added' | 'removed'
    /** The line as the page has it, or a part of a line of more than 200 characters. */
    text: string
  }>
}

export type CrawlDoneEvent = {
  /** The crawl, as in `GET /v1/crawls/{id}`; 0 in a sample. */
  id: number
  /** The project of the crawl. */
  project_id: number
  /** The seed URL of the crawl. */
  url: string
  /** The final status of the crawl. */
  status: 'done' | 'failed'
  /** All fetched pages, including those whose target answered 4xx or 5xx. */
  page_count: number
  /** URLs that could not be fetched: DNS, TLS and connection failures. */
  error_count: number
  /** When the crawl started; null if it never did. */
  started_at: string | null
  /** When the crawl ended. */
  finished_at: string
  /** Why the crawl failed; null if it did not. */
  error_message: string | null
  /** When this attempt was sent. It differs between attempts. */
  delivered_at: string
  /** Always `crawl.done`. */
  event: 'crawl.done'
  intent?: IntentVerdict
  /** Only in samples of `POST /v1/webhook/test`, which have no crawl. */
  test?: true
}

export type CrawlDiffDetectedEvent = {
  /** The crawl, as in `GET /v1/crawls/{id}`; 0 in a sample. */
  id: number
  /** The project of the crawl. */
  project_id: number
  /** The seed URL of the crawl. */
  url: string
  /** Always `done`: failed crawls are not compared. */
  status: 'done'
  /** All fetched pages, including those whose target answered 4xx or 5xx. */
  page_count: number
  /** URLs that could not be fetched: DNS, TLS and connection failures. */
  error_count: number
  /** When the crawl started; null if it never did. */
  started_at: string | null
  /** When the crawl ended. */
  finished_at: string
  /** Why the crawl failed; null if it did not. */
  error_message: string | null
  /** When this attempt was sent. It differs between attempts. */
  delivered_at: string
  /** Always `crawl.diff_detected`. */
  event: 'crawl.diff_detected'
  /** Number of pages that differ. `added`, `removed` and `changed` are not all 0. */
  diff: {
    /** Pages that the previous crawl did not have. */
    added: number
    /** Pages that only the previous crawl has. */
    removed: number
    /** Pages with another `content_hash` or status. */
    changed: number
    /** Pages that are unchanged. */
    unchanged: number
  }
  /** The crawl that this one was compared with. */
  previous_run_id: number
  intent?: IntentVerdict
}

export type CrawlStartedEvent = {
  /** The crawl, as in `GET /v1/crawls/{id}`; 0 in a sample. */
  id: number
  /** The project of the crawl. */
  project_id: number
  /** The seed URL of the crawl. */
  url: string
  /** Always `running`. */
  status: 'running'
  /** When the crawl started. */
  started_at: string
  /** When this attempt was sent. It differs between attempts. */
  delivered_at: string
  /** Always `crawl.started`. */
  event: 'crawl.started'
}

export type FetchedPage = {
  /** The id of the page, unique across all crawls. */
  id: number
  /** URL of the page, after all redirects. */
  url: string
  /** HTTP status of the target. */
  status: number
  /** Length of the decoded body, in bytes. */
  bytes: number
  /** Time of the fetch. */
  fetched_at: string
  /** Title of the page; null: it has none. */
  title: string | null
  /** SHA-256 in hex of the content that readers see: changes of markup, scripts and the like do not affect it. */
  content_hash: string
}

export type PageFetchedEvent = {
  /** The crawl, as in `GET /v1/crawls/{id}`; 0 in a sample. */
  id: number
  /** The project of the crawl. */
  project_id: number
  /** The seed URL of the crawl. */
  url: string
  /** Number of the batch within the crawl, without gaps. */
  batch: number
  /** Pages in the order in which the crawl stored them. Each page is in one batch. */
  pages: FetchedPage[]
  /** When this attempt was sent. It differs between attempts. */
  delivered_at: string
  /** Always `page.fetched`. */
  event: 'page.fetched'
}

export type CrawlFailedEvent = {
  /** The crawl, as in `GET /v1/crawls/{id}`; 0 in a sample. */
  id: number
  /** The project of the crawl. */
  project_id: number
  /** The seed URL of the crawl. */
  url: string
  /** Always `failed`. */
  status: 'failed'
  /** All fetched pages, including those whose target answered 4xx or 5xx. */
  page_count: number
  /** URLs that could not be fetched: DNS, TLS and connection failures. */
  error_count: number
  /** When the crawl started; null if it never did. */
  started_at: string | null
  /** When the crawl ended. */
  finished_at: string
  /** Why the crawl failed; null if it did not. */
  error_message: string | null
  /** When this attempt was sent. It differs between attempts. */
  delivered_at: string
  /** Always `crawl.failed`. */
  event: 'crawl.failed'
}

export type BatchDoneEvent = {
  /** The batch, as in `GET /v1/scan/batches/{id}`. */
  id: number
  /** The project of the batch. */
  project_id: number
  /** Always `done`: a cancelled batch sends nothing. */
  status: 'done'
  counts: BatchCounts
  /** When the batch was requested. */
  created_at: string
  /** When the last URL had its result. */
  finished_at: string
  /** When this attempt was sent. It differs between attempts. */
  delivered_at: string
  /** Always `batch.done`. */
  event: 'batch.done'
}

export type Problem = {
  error: Refusal
}

export type ProblemDetails = {
  /** Always this value: `code` names the error. */
  type: 'about:blank'
  /** The status in words. */
  title: string
  /** The HTTP status. */
  status: number
  /** Message for people: the problem and the remedy. */
  detail: string
  /** A URN of the request id. */
  instance: string
  /** Stable code from a closed list. */
  code: string
  /** Seconds to wait before a retry. Also in Retry-After. */
  retry_after_seconds?: number
  /** Stable sub-code. */
  reason?: string
  /** The request field that caused the error. */
  field?: string
  /** The crawl that was started. It may continue. */
  run_id?: number
  /** Id of this request for support. Also in X-Request-Id. */
  request_id?: string
}

/** The data of the events of a crawl, by the name of the event. */
export type StreamData = {
  progress: {
    /** Number of pages of the crawl. */
    page_count: number
    /** Number of URLs that failed. */
    error_count: number
    /** Number of URLs that are admitted, or listed in urls, and have no outcome yet. */
    pending: number
    /** Number of URLs that were judged, admitted or not, and of those listed in urls. */
    discovered: number
  }
  page: {
    /** The page. */
    id: number
    /** The URL of the page, after redirects. */
    url: string
    /** HTTP status of the target. */
    status: number
    /** Length of the decoded body, in bytes. */
    bytes: number
    /** Title of the page; null: it has none. */
    title: string | null
    /** Number of links from the seed to the page. */
    depth: number
    /** Time of the fetch. */
    fetched_at: string
  }
  decision: {
    /** The URLs will be fetched. */
    decision: 'admitted'
    /** The URLs of this decision, at most 100. */
    pages: Array<{
      /** The URL, or its key if the URL is not stored any longer. */
      url: string
      /** Number of links from the seed to the page. */
      depth: number
      /** The page on which the URL was found; null: the seed, or urls or a sitemap lists it. */
      from: string | null
    }>
  } | {
    /** A limit prevents the fetch of these URLs. */
    decision: 'deferred'
    /** The name of the limit. */
    limit: 'max_pages' | 'depth'
    /** The URLs of this decision, at most 100. */
    pages: Array<{
      /** The URL, or its key if the URL is not stored any longer. */
      url: string
      /** Number of links from the seed to the page. */
      depth: number
      /** The page on which the URL was found; null: the seed, or urls or a sitemap lists it. */
      from: string | null
    }>
  } | {
    /** The rules forbid the fetch of these URLs. */
    decision: 'skipped'
    /** The rule, such as robots. */
    reason: string
    /** The URLs of this decision, at most 100. */
    pages: Array<{
      /** The URL, or its key if the URL is not stored any longer. */
      url: string
      /** The page on which the URL was found; null: the seed, or urls or a sitemap lists it. */
      from: string | null
      /** The line of robots.txt that decided; null: no line. */
      rule: string | null
    }>
  } | {
    /** The path patterns of the request exclude these URLs. */
    decision: 'filtered'
    /** The field with the patterns. */
    by: 'include' | 'exclude'
    /** The URLs of this decision, at most 100. */
    pages: Array<{
      /** The URL, or its key if the URL is not stored any longer. */
      url: string
      /** The page on which the URL was found; null: the seed, or urls or a sitemap lists it. */
      from: string | null
      /** The pattern that matched; null: none matched. */
      pattern: string | null
    }>
  } | {
    /** The URLs look like part of an endless series. */
    decision: 'pruned'
    /** The name of the trap rule. */
    rule: 'path_repetition' | 'path_depth' | 'calendar' | 'parameters' | 'session_id' | 'equal_content'
    /** The URLs of this decision, at most 100. */
    pages: Array<{
      /** The URL, or its key if the URL is not stored any longer. */
      url: string
      /** The page on which the URL was found; null: the seed, or urls or a sitemap lists it. */
      from: string | null
      /** The evidence of the rule. */
      because: string
    }>
  } | {
    /** The client paused the crawl. */
    decision: 'paused'
  } | {
    /** The client resumed the crawl. */
    decision: 'resumed'
  } | {
    /** The client retries failed URLs of the crawl, which had ended. */
    decision: 'reopened'
    /** Number of URLs that are pending again. */
    urls: number
  } | {
    /** The URLs lead to pages that the crawl already has. */
    decision: 'duplicated'
    /** The URLs of this decision, at most 100. */
    pages: Array<{
      /** The URL, or its key if the URL is not stored any longer. */
      url: string
      /** The URL under which the page is stored. */
      of: string
    }>
  } | {
    /** The URLs got no HTTP response. */
    decision: 'failed'
    /** The URLs of this decision, at most 100. */
    pages: Array<{
      /** The URL, or its key if the URL is not stored any longer. */
      url: string
      /** Such as dns, connect, tls, timeout or too_large. */
      reason: string
      /** Number of attempts. */
      attempts: number
    }>
  } | {
    /** The URLs will be retried. */
    decision: 'retried'
    /** The URLs of this decision, at most 100. */
    pages: Array<{
      /** The URL, or its key if the URL is not stored any longer. */
      url: string
      /** Such as dns, connect, tls, timeout or too_large. */
      reason: string
      /** Number of the next attempt, counted from 1. */
      attempt: number
      /** Earliest time of the next attempt. */
      not_before: string
    }>
  } | {
    /** The crawl requested a robots.txt. */
    decision: 'robots'
    /** The outcome of the request. */
    outcome: 'read'
    /** The origin of the robots.txt, such as https://example.com. */
    origin: string
    /** HTTP status of the response. */
    status: number
    /** The consequence for the whole site. */
    verdict: string
  } | {
    /** The crawl requested a robots.txt. */
    decision: 'robots'
    /** The outcome of the request. */
    outcome: 'failed'
    /** The origin of the robots.txt, such as https://example.com. */
    origin: string
    /** Such as dns, connect, tls, timeout or too_large. */
    reason: string
  } | {
    /** The crawl requested a robots.txt. */
    decision: 'robots'
    /** The outcome of the request. */
    outcome: 'retried'
    /** The origin of the robots.txt, such as https://example.com. */
    origin: string
    /** Number of the next attempt, counted from 1. */
    attempt: number
    /** Earliest time of the next attempt. */
    not_before: string
  } | {
    /** The crawl requested a sitemap. */
    decision: 'sitemap'
    /** The outcome of the request. */
    outcome: 'read'
    /** The URL, or its key if the URL is not stored any longer. */
    url: string
    /** HTTP status of the response. */
    status: number
    /** Number of URLs that it lists. */
    urls: number
    /** Number of further sitemaps that it lists. */
    sitemaps: number
    /** The part that was not read, or the reason; null: all of it was read. */
    cut: string | null
  } | {
    /** The crawl requested a sitemap. */
    decision: 'sitemap'
    /** The outcome of the request. */
    outcome: 'failed'
    /** The URL, or its key if the URL is not stored any longer. */
    url: string
    /** Such as dns, connect, tls, timeout or too_large. */
    reason: string
  } | {
    /** The crawl requested a sitemap. */
    decision: 'sitemap'
    /** The outcome of the request. */
    outcome: 'retried'
    /** The URL, or its key if the URL is not stored any longer. */
    url: string
    /** Number of the next attempt, counted from 1. */
    attempt: number
    /** Earliest time of the next attempt. */
    not_before: string
  } | {
    /** The crawl has reached its maximum number of known URLs. URLs found from now on are not judged. */
    decision: 'frontier_filled'
    /** Number of URLs that the crawl knows, which is the maximum. */
    known: number
  }
  end: {
    /** The final status of the crawl. */
    status: 'done' | 'failed' | 'cancelled' | 'deleted'
    /** The reason for the end; null: the crawl was deleted. */
    stop_reason: 'exhausted' | 'max_pages' | 'depth' | 'max_cost_usd' | 'max_bytes' | 'quota' | 'time_limit' | 'pattern_time' | 'cancelled' | 'failed' | null
    /** The reason for the failure in words; null: the crawl did not fail. */
    error_message: string | null
    /** The reason for the failure as a stable code: robots_disallowed, robots_unreachable, dns, connect, tls, timeout, proxy, protocol, too_large, too_many_redirects, private_address, blocked_domain, sitemap, empty_sitemap, login_failed, logged_out, time_limit and others. Null: the crawl did not fail. */
    error_reason?: string | null
    /** The outcomes of all URLs, as in the coverage; null: the crawl was deleted. */
    totals: {
      /** Sum of the other counts. */
      discovered: number
      /** URLs that are pages. */
      fetched: number
      /** URLs that got no HTTP response. */
      failed: number
      /** URLs that rules exclude. */
      skipped: number
      /** URLs that lead to the page of another URL. */
      duplicate: number
      /** URLs that a limit prevented from being fetched. */
      not_reached: number
      /** URLs that were still waiting. */
      pending: number
    } | null
  }
}

type NoParts = { path: object; query: object; body: undefined; result: undefined }
type OperationWith<Parts> = Omit<NoParts, keyof Parts> & Parts

/** The parameters, the body and the result of each operation. */
export type Operations = {
  /** Liveness. */
  getHealth: OperationWith<{
    result: string
  }>
  /** Readiness. */
  getReady: OperationWith<{
    result: string
  }>
  /** Sign up. */
  signUp: OperationWith<{
    body: Signup
    result: SignedUp
  }>
  /** Find the checkout of a signup. */
  getCheckout: OperationWith<{
    query: {
      /** The `intent_id` that `POST /v1/signup` returned. */
      intent_id: number
    }
    result: Checkout
  }>
  /** Receive payment webhooks. */
  takePaymentEvent: OperationWith<{
    body: PaymentEvent
    result: PaymentTaken
  }>
  /** List the keys that verify evidence. */
  listEvidenceKeys: OperationWith<{
    result: EvidenceKeys
  }>
  /** Download the file of an export. */
  downloadExport: OperationWith<{
    path: {
      /** The export. */
      id: number
    }
    query: {
      /** Time at which the address expires, in seconds since 1970. */
      expires: number
      /** Signature of the address. */
      signature: string
    }
  }>
  /** Start a crawl, or with cron a monitor. */
  startCrawl: OperationWith<{
    body: CrawlRequest
    result: MonitorAccepted | CrawlAccepted
  }>
  /** List crawls. */
  listCrawls: OperationWith<{
    query: {
      /** Maximum number of items. */
      limit?: number
      /** Number of items to skip: 0, or `next_offset` of the previous page. */
      offset?: number
      /** Only items with a smaller id: the id of the last item that you have, instead of `offset`. Unlike an offset it neither repeats nor skips items when others are added or deleted meanwhile. */
      before?: number
      /** Only crawls with this status. */
      status?: 'queued' | 'running' | 'done' | 'failed' | 'cancelled'
      /** Further fields of each crawl, as a comma-separated list: ai_bot_policy. Without it they are null in lists, because each has dozens of bots. */
      fields?: string
    }
    result: RunList
  }>
  /** Start a crawl from the pages of another one. */
  forkCrawl: OperationWith<{
    path: {
      /** The crawl. */
      id: number
    }
    body: ForkRequest | undefined
    result: CrawlAccepted
  }>
  /** Read a crawl. */
  getCrawl: OperationWith<{
    path: {
      /** The crawl. */
      id: number
    }
    query: {
      /** A time in RFC 3339, not in the future: returns the crawl as it was then, from its events until that time. Absent: as it is now. */
      as_of?: string
    }
    result: Run
  }>
  /** Delete a crawl with all its pages. */
  deleteCrawl: OperationWith<{
    path: {
      /** The crawl. */
      id: number
    }
  }>
  /** Cancel a crawl and keep its pages. */
  cancelCrawl: OperationWith<{
    path: {
      /** The crawl. */
      id: number
    }
    result: Run
  }>
  /** Pause a crawl. */
  pauseCrawl: OperationWith<{
    path: {
      /** The crawl. */
      id: number
    }
    result: Run
  }>
  /** Resume a paused crawl. */
  resumeCrawl: OperationWith<{
    path: {
      /** The crawl. */
      id: number
    }
    result: Run
  }>
  /** Retry the failed URLs of a crawl that has ended. */
  retryFailed: OperationWith<{
    path: {
      /** The crawl. */
      id: number
    }
    result: RetriedRun
  }>
  /** Read the coverage of a crawl. */
  getCoverage: OperationWith<{
    path: {
      /** The crawl. */
      id: number
    }
    query: {
      /** A time in RFC 3339, not in the future: returns the crawl as it was then, from its events until that time. Absent: as it is now. */
      as_of?: string
    }
    result: Coverage
  }>
  /** List the failed URLs of a crawl. */
  listErrors: OperationWith<{
    path: {
      /** The crawl. */
      id: number
    }
    query: {
      /** Maximum number of items. */
      limit?: number
      /** Number of items to skip: 0, or `next_offset` of the previous page. */
      offset?: number
      /** The format of the list: json by default, unless the Accept header prefers application/x-ndjson or text/csv. */
      format?: 'json' | 'ndjson' | 'csv'
      /** A time in RFC 3339, not in the future: returns the crawl as it was then, from its events until that time. Absent: as it is now. */
      as_of?: string
    }
    result: RunErrorList
  }>
  /** Explain what a crawl did with a URL. */
  explainUrl: OperationWith<{
    path: {
      /** The crawl. */
      id: number
    }
    query: {
      /** The URL, in any spelling. */
      url: string
    }
    result: Explanation
  }>
  /** Follow a crawl by server-sent events. */
  followCrawl: OperationWith<{
    path: {
      /** The crawl. */
      id: number
    }
    query: {
      /** Only these events, as a comma-separated list: the types page, decision, progress, end, or single decisions such as failed. */
      types?: string
      /** For screens: of each second of the crawl, at most this number of pages, this number of decisions of each kind, and the last progress are sent. Events arrive up to a second later. */
      max_per_second?: number
      /** Continue after this event. The header Last-Event-ID takes precedence. */
      last_event_id?: string
    }
  }>
  /** Estimate a crawl. */
  estimateCrawl: OperationWith<{
    body: CrawlRequest
    result: CrawlEstimate
  }>
  /** Crawl a site and write its llms.txt. */
  buildLlmsTxt: OperationWith<{
    body: LlmsTxtRequest
    result: LlmsTxtBuild | string
  }>
  /** List monitors. */
  listMonitors: OperationWith<{
    result: MonitorList
  }>
  /** Read a monitor. */
  getMonitor: OperationWith<{
    path: {
      /** The monitor. */
      id: number
    }
    result: Monitor
  }>
  /** Change a monitor. */
  changeMonitor: OperationWith<{
    path: {
      /** The monitor. */
      id: number
    }
    body: MonitorChange | undefined
    result: Monitor
  }>
  /** Delete a monitor. */
  deleteMonitor: OperationWith<{
    path: {
      /** The monitor. */
      id: number
    }
  }>
  /** List the runs of a monitor. */
  listMonitorRuns: OperationWith<{
    path: {
      /** The monitor. */
      id: number
    }
    query: {
      /** Maximum number of items. */
      limit?: number
      /** Number of items to skip: 0, or `next_offset` of the previous page. */
      offset?: number
    }
    result: MonitorRunList
  }>
  /** Start a crawl of a monitor now. */
  runMonitor: OperationWith<{
    path: {
      /** The monitor. */
      id: number
    }
    result: CrawlAccepted
  }>
  /** List the pages of a crawl. */
  listPages: OperationWith<{
    path: {
      /** The crawl. */
      id: number
    }
    query: {
      /** Maximum number of items. */
      limit?: number
      /** Number of items to skip: 0, or `next_offset` of the previous page. */
      offset?: number
      /** Only pages with this HTTP status. */
      status?: number
      /** The format of the list: json by default, unless the Accept header prefers application/x-ndjson or text/csv. */
      format?: 'json' | 'ndjson' | 'csv'
      /** A time in RFC 3339, not in the future: returns the crawl as it was then, from its events until that time. Absent: as it is now. */
      as_of?: string
      /** Further fields of each page, as a comma-separated list: content_hash, raw_hash, title, depth, inlinks, requested_url, content_type, blocked, rendered, trace_id. */
      fields?: string
      /** With ndjson, content of each page, as a comma-separated list: markdown, metadata, article, signals, html; null: the page has none. */
      include?: string
      /** With `true`, Markdown of the main content only: without menus, headers, footers, lists of contents and banners. An article never has them. */
      only_main_content?: 'true' | 'false'
      /** The form of an article beside its text: `article_html`, or with `markdown` `article_markdown`. */
      article_format?: 'html' | 'markdown'
      /** Adds the Markdown as `chunks`. Maximum number of tokens of a chunk, counted with o200k_base. */
      chunk_max_tokens?: number
      /** Maximum number of tokens that a chunk repeats from the one before in the same section. At most half of the maximum of a chunk. Default: 0. */
      chunk_overlap?: number
    }
    result: PageList
  }>
  /** Read a page with its content. */
  getPage: OperationWith<{
    path: {
      /** The id of the page, unique across all crawls. */
      id: number
    }
    query: {
      /** html, markdown or article, each with metadata; both: all three; full: all three with signals; signals: signals alone. */
      format?: 'html' | 'markdown' | 'article' | 'both' | 'full' | 'signals'
      /** With `true`, Markdown of the main content only: without menus, headers, footers, lists of contents and banners. An article never has them. */
      only_main_content?: 'true' | 'false'
      /** The form of an article beside its text: `article_html`, or with `markdown` `article_markdown`. */
      article_format?: 'html' | 'markdown'
      /** Adds the Markdown as `chunks`. Maximum number of tokens of a chunk, counted with o200k_base. */
      chunk_max_tokens?: number
      /** Maximum number of tokens that a chunk repeats from the one before in the same section. At most half of the maximum of a chunk. Default: 0. */
      chunk_overlap?: number
    }
    result: Page
  }>
  /** Read values of a page by a JSON Schema. */
  extractFromPage: OperationWith<{
    path: {
      /** The id of the page, unique across all crawls. */
      id: number
    }
    body: PageExtractRequest
    result: PageExtraction
  }>
  /** Read the screenshot of a page. */
  getPageScreenshot: OperationWith<{
    path: {
      /** The id of the page, unique across all crawls. */
      id: number
    }
  }>
  /** Read a stored crawl again. */
  replayCrawl: OperationWith<{
    path: {
      /** The crawl. */
      id: number
    }
    query: {
      /** Maximum number of pages to read. A part ends earlier after some seconds of work; `next_offset` continues. */
      limit?: number
      /** Number of pages to skip: 0, or `next_offset` of the previous part. */
      offset?: number
    }
    result: Replay
  }>
  /** List the links between the pages of a crawl. */
  listLinks: OperationWith<{
    path: {
      /** The crawl. */
      id: number
    }
    query: {
      /** Maximum number of items. */
      limit?: number
      /** Number of items to skip: 0, or `next_offset` of the previous page. */
      offset?: number
      /** Only links on this page. */
      from_page_id?: number
      /** Only links to this URL, in any spelling. */
      to_url?: string
      /** The format of the list: json by default, unless the Accept header prefers application/x-ndjson or text/csv. */
      format?: 'json' | 'ndjson' | 'csv'
      /** A time in RFC 3339, not in the future: returns the crawl as it was then, from its events until that time. Absent: as it is now. */
      as_of?: string
    }
    result: LinkList
  }>
  /** List the orphan pages of a crawl. */
  listOrphans: OperationWith<{
    path: {
      /** The crawl. */
      id: number
    }
    query: {
      /** The format of the list: json by default, unless the Accept header prefers application/x-ndjson or text/csv. */
      format?: 'json' | 'ndjson' | 'csv'
      /** A time in RFC 3339, not in the future: returns the crawl as it was then, from its events until that time. Absent: as it is now. */
      as_of?: string
    }
    result: OrphanList
  }>
  /** Export the pages of a crawl as one file. */
  requestExport: OperationWith<{
    path: {
      /** The crawl. */
      id: number
    }
    body: ExportRequest
    result: Export
  }>
  /** List the exports of a crawl. */
  listExports: OperationWith<{
    path: {
      /** The crawl. */
      id: number
    }
    query: {
      /** Maximum number of items. */
      limit?: number
      /** Number of items to skip: 0, or `next_offset` of the previous page. */
      offset?: number
    }
    result: ExportList
  }>
  /** Read an export, with the address of its file. */
  getExport: OperationWith<{
    path: {
      /** The export. */
      id: number
    }
    result: Export
  }>
  /** Delete an export and its file. */
  deleteExport: OperationWith<{
    path: {
      /** The export. */
      id: number
    }
    result: DeletedExport
  }>
  /** Read the signed evidence of a crawl. */
  getEvidence: OperationWith<{
    path: {
      /** The crawl. */
      id: number
    }
    result: Evidence
  }>
  /** Read the proof that a page belongs to a crawl. */
  getPageEvidence: OperationWith<{
    path: {
      /** The id of the page, unique across all crawls. */
      id: number
    }
    result: PageEvidence
  }>
  /** List the leaves of the evidence of a crawl. */
  listEvidenceLeaves: OperationWith<{
    path: {
      /** The crawl. */
      id: number
    }
    query: {
      /** Maximum number of items. */
      limit?: number
      /** Number of items to skip: 0, or `next_offset` of the previous page. */
      offset?: number
      /** The format of the list: json by default, unless the Accept header prefers application/x-ndjson or text/csv. */
      format?: 'json' | 'ndjson' | 'csv'
    }
    result: EvidenceLeafList
  }>
  /** Read how a crawl treated each host. */
  getCrawlPolicy: OperationWith<{
    path: {
      /** The crawl. */
      id: number
    }
    query: {
      /** Maximum number of items. */
      limit?: number
      /** Number of items to skip: 0, or `next_offset` of the previous page. */
      offset?: number
    }
    result: CrawlPolicy
  }>
  /** Compare the pages of two crawls. */
  diffCrawls: OperationWith<{
    path: {
      /** The older crawl. */
      old_id: number
      /** The newer crawl. */
      new_id: number
    }
    query: {
      /** Further fields of changed pages to compare, as a comma-separated list: title, description, h1, canonical, robots, word_count, status, depth, inlinks. */
      fields?: string
      /** The format of the list: json by default, unless the Accept header prefers application/x-ndjson or text/csv. */
      format?: 'json' | 'ndjson' | 'csv'
    }
    result: RunDiff
  }>
  /** Compare one page of two crawls line by line. */
  diffPage: OperationWith<{
    path: {
      /** The older crawl. */
      old_id: number
      /** The newer crawl. */
      new_id: number
    }
    query: {
      /** The URL of the page, in any spelling. */
      url: string
      /** The form of the page to compare. */
      mode?: 'text' | 'markdown'
      /** Add the change in words, by the language model of this installation. Requires the consent of the project (`PUT /v1/model-consent`). Without it, or without a model, `in_words` is null and a warning has the reason. */
      in_words?: 'true' | 'false'
    }
    result: PageDiff
  }>
  /** Read one page now. */
  scanPage: OperationWith<{
    body: ScanRequest
    result: Scan
  }>
  /** Read up to 100 pages now. */
  scanPages: OperationWith<{
    body: BulkScanRequest
    result: BulkScan
  }>
  /** Delete the stored page of a scan. */
  deleteScans: OperationWith<{
    query: {
      /** A public URL; http:// or https://. */
      url: string
    }
    result: DeletedScans
  }>
  /** Read up to 10,000 pages without waiting. */
  requestBatch: OperationWith<{
    body: BatchRequest
    result: Batch
  }>
  /** List batches of scans. */
  listBatches: OperationWith<{
    query: {
      /** Maximum number of items. */
      limit?: number
      /** Number of items to skip: 0, or `next_offset` of the previous page. */
      offset?: number
      /** Only items with a smaller id: the id of the last item that you have, instead of `offset`. Unlike an offset it neither repeats nor skips items when others are added or deleted meanwhile. */
      before?: number
    }
    result: BatchList
  }>
  /** Read the progress of a batch. */
  getBatch: OperationWith<{
    path: {
      /** The batch. */
      id: number
    }
    result: Batch
  }>
  /** Delete a batch and its results. */
  deleteBatch: OperationWith<{
    path: {
      /** The batch. */
      id: number
    }
    result: DeletedBatch
  }>
  /** Read the results of a batch. */
  listBatchResults: OperationWith<{
    path: {
      /** The batch. */
      id: number
    }
    query: {
      /** Maximum number of items. */
      limit?: number
      /** Number of items to skip: 0, or `next_offset` of the previous page. */
      offset?: number
      /** json by default, unless the Accept header prefers application/x-ndjson. */
      format?: 'json' | 'ndjson'
    }
    result: BatchResults
  }>
  /** Cancel a batch and keep its results. */
  cancelBatch: OperationWith<{
    path: {
      /** The batch. */
      id: number
    }
    result: Batch
  }>
  /** List the URLs of a site without a crawl. */
  mapSite: OperationWith<{
    body: MapRequest
    result: SiteMap
  }>
  /** Read the rules of a site for AI bots. */
  readRobotsPolicy: OperationWith<{
    query: {
      /** Any URL of the site; http:// or https://. The files at its origin are read. */
      url: string
      /** The crawler that the verdict is for: a product token or a whole User-Agent. It is not sent to the site. Default: the crawler of this service. */
      user_agent?: string
    }
    result: RobotsPolicy
  }>
  /** Fetch a page with automatic fallback. */
  cloudScrape: OperationWith<{
    body: CloudScrapeRequest
    result: CloudPage
  }>
  /** Fetch a page behind bot protection. */
  cloudUnblock: OperationWith<{
    body: CloudUnblockRequest
    result: CloudPage
  }>
  /** Fetch a page rendered by a browser. */
  cloudRender: OperationWith<{
    body: CloudRenderRequest
    result: CloudPage
  }>
  /** Take a screenshot of a page. */
  cloudScreenshot: OperationWith<{
    body: CloudScreenshotRequest
    result: CloudPage
  }>
  /** List the links of one page. */
  cloudLinks: OperationWith<{
    body: CloudLinksRequest
    result: CloudLinks
  }>
  /** Fetch a page through a proxy. */
  cloudProxyFetch: OperationWith<{
    body: CloudProxyFetchRequest
    result: CloudProxyFetched
  }>
  /** Crawl a small site while you wait. */
  cloudCrawl: OperationWith<{
    body: CloudCrawlRequest
    result: CloudCrawl
  }>
  /** Search the web and read the results. */
  cloudSearch: OperationWith<{
    body: CloudSearchRequest
    result: CloudSearch
  }>
  /** Convert a document to another format. */
  cloudTransform: OperationWith<{
    body: CloudTransformRequest
    result: CloudDocument
  }>
  /** List the available scrapers. */
  listScrapers: OperationWith<{
    query: {
      /** Number of the part of the list, counted from 1. */
      page?: number
      /** Number of scrapers per part. */
      limit?: number
    }
    result: CloudScraperList
  }>
  /** Read a site's first page into fields. */
  cloudFetch: OperationWith<{
    path: {
      /** A domain of `GET /v1/cloud/scrapers` whose scraper reads a page without a path. Other domains return 422 with the paths that they read. */
      domain: string
    }
    body: CloudFetchRequest | undefined
    result: CloudData
  }>
  /** Read a page of a site into fields. */
  cloudFetchPath: OperationWith<{
    path: {
      /** A domain of `GET /v1/cloud/scrapers`. */
      domain: string
      /** A path of that scraper. It may contain slashes. */
      path: string
    }
    body: CloudFetchRequest | undefined
    result: CloudData
  }>
  /** Read the vendor balance. */
  getCloudBalance: OperationWith<{
    result: CloudBalance
  }>
  /** Read the available backends and their cost. */
  getCloudHealth: OperationWith<{
    result: CloudHealth
  }>
  /** Extract the structured data of a page. */
  extractStructuredData: OperationWith<{
    body: StructuredDataRequest
    result: StructuredDataAnswer
  }>
  /** Audit a page. */
  auditOnpage: OperationWith<{
    body: AuditOnpageRequest
    result: AuditOnpageAnswer
  }>
  /** Extract the article of a page. */
  extractArticle: OperationWith<{
    body: ExtractArticleRequest
    result: ExtractArticleAnswer
  }>
  /** Compare a page before and after rendering. */
  diffRendered: OperationWith<{
    body: RenderDiffRequest
    result: RenderDiffAnswer
  }>
  /** Find broken links. */
  checkLinks: OperationWith<{
    body: CheckLinksRequest | undefined
    result: CheckLinksAnswer
  }>
  /** Probe the pages in the sitemaps of a site. */
  auditSitemaps: OperationWith<{
    body: SitemapAuditRequest
    result: SitemapAuditAnswer
  }>
  /** Rank the pages of a crawl by its links. */
  analyseLinkGraph: OperationWith<{
    body: LinkGraphRequest
    result: LinkGraphAnswer
  }>
  /** Audit all pages of a crawl. */
  auditSite: OperationWith<{
    body: AuditSiteRequest
    result: AuditSiteAnswer
  }>
  /** Share a crawl by a read-only address. */
  shareCrawl: OperationWith<{
    path: {
      /** The crawl. */
      id: number
    }
    body: CrawlShareRequest | undefined
    result: CrawlShare
  }>
  /** End all shares of a crawl. */
  endShares: OperationWith<{
    path: {
      /** The crawl. */
      id: number
    }
  }>
  /** Read the webhook secret. */
  getWebhookSecret: OperationWith<{
    result: WebhookSecret
  }>
  /** Rotate the webhook secret. */
  rotateWebhookSecret: OperationWith<{
    body: SecretRotation | undefined
    result: WebhookSecret
  }>
  /** Redeliver dead webhooks since a time. */
  redeliverDead: OperationWith<{
    body: Redelivery
    result: RedeliveryStarted
  }>
  /** Send a test webhook. */
  testWebhook: OperationWith<{
    body: WebhookTest
    result: WebhookTestResult
  }>
  /** List the webhook deliveries of a crawl. */
  listDeliveries: OperationWith<{
    path: {
      /** The crawl. */
      id: number
    }
    query: {
      /** Maximum number of items. */
      limit?: number
      /** Number of items to skip: 0, or `next_offset` of the previous page. */
      offset?: number
    }
    result: WebhookDeliveryList
  }>
  /** Redeliver a webhook. */
  redeliver: OperationWith<{
    path: {
      /** The crawl. */
      id: number
      /** The `id` of the delivery, which is its `webhook-id`. */
      delivery_id: string
    }
    result: WebhookDelivery
  }>
  /** Read usage and caps. */
  getUsage: OperationWith<{
    result: Usage
  }>
  /** Read usage day by day. */
  getUsageHistory: OperationWith<{
    query: {
      /** Number of days, up to today. */
      days?: number
    }
    result: UsageHistory
  }>
  /** List the usage ledger. */
  listLedger: OperationWith<{
    query: {
      /** The first day (UTC). Default: the day of `to`; with a run or a request, its first day. At most 365 days. */
      from?: string
      /** The last day (UTC). Default: today. */
      to?: string
      /** Only pages of this crawl. */
      run_id?: number
      /** Only rows of this request. */
      request_id?: string
      /** Only rows of this kind. */
      kind?: 'page' | 'cloud_page' | 'model_call'
      /** Maximum number of items. */
      limit?: number
      /** Number of items to skip: 0, or `next_offset` of the previous page. */
      offset?: number
      /** The format of the list: json by default, unless the Accept header prefers application/x-ndjson or text/csv. */
      format?: 'json' | 'ndjson' | 'csv'
    }
    result: Ledger
  }>
  /** List keys. */
  listKeys: OperationWith<{
    result: ApiKeyList
  }>
  /** Create a key. */
  rotateKey: OperationWith<{
    body: KeyRotation | undefined
    result: RotatedKey
  }>
  /** Revoke a key. */
  revokeKey: OperationWith<{
    path: {
      /** The first 12 characters of the key. */
      prefix: string
    }
  }>
  /** Read the billing state. */
  getBilling: OperationWith<{
    result: Billing
  }>
  /** Get the consent to a language model. */
  getModelConsent: OperationWith<{
    result: ModelConsent
  }>
  /** Give or withdraw the consent to a language model. */
  setModelConsent: OperationWith<{
    body: ModelConsentRequest
    result: ModelConsent
  }>
  /** List the API calls of this project. */
  listLogs: OperationWith<{
    query: {
      /** Maximum number of calls. */
      limit?: number
      /** Number of calls to skip. */
      offset?: number
      /** A time in RFC 3339: only calls until then, inclusive. Each read of this list adds a call at its front. Continue with the `ts` of the last item. Set `offset` to the number of items with this `ts` that you have. Skip repeated values of `request_id`. */
      until?: string
      /** Only calls with at least this status. */
      status_min?: number
      /** Only calls with at most this status. */
      status_max?: number
      /** The format of the list: json by default, unless the Accept header prefers application/x-ndjson or text/csv. */
      format?: 'json' | 'ndjson' | 'csv'
    }
    result: LogList
  }>
}
