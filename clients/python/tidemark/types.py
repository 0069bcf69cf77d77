"""Types of requests and responses, generated from the OpenAPI document: do not edit.

`node test/python-sdk.ts` writes this file, and a test compares it with the document.
"""

from __future__ import annotations

from typing import Any, Dict, List, Literal, Optional, TypedDict, Union


class Warned(TypedDict, total=False):
    """A response with warnings."""

    warnings: List[str]
    """Settings that were ignored or could not be applied, one sentence each; absent if empty."""


class _RefusalRequired(TypedDict):
    code: str
    """Stable code from a closed list."""
    message: str
    """Message for people: the problem and the remedy."""


class Refusal(_RefusalRequired, total=False):
    """The error and its reason."""

    retry_after_seconds: int
    """Seconds to wait before a retry. Also in Retry-After."""
    reason: str
    """Stable sub-code."""
    field: str
    """The request field that caused the error."""
    run_id: int
    """The crawl that was started. It may continue."""
    request_id: str
    """Id of this request for support. Also in X-Request-Id."""


class _CheckRequired(TypedDict):
    status: Literal["pass", "fail"]
    """Whether the check passes."""


class Check(_CheckRequired, total=False):
    """One dependency."""

    observed_ms: float
    """Duration of the check in milliseconds."""
    age_seconds: Optional[float]
    """Seconds since the oldest of the latest heartbeats; null: a service has sent none."""
    max_age_seconds: float
    """Maximum age in seconds."""
    missing: List[str]
    """Services without a recent heartbeat."""
    full: List[str]
    """Streams without capacity for the next message."""
    cause: str
    """The reason for the failure; for a passing check, a problem to examine."""


class NotReadyChecks(TypedDict):
    """Each check, whether it passes or fails."""

    database: Check
    worker_heartbeat: Check
    event_stream: Check


class NotReady(TypedDict):
    status: Literal["fail"]
    """Always this value; the other response is 200."""
    error: Refusal
    checks: NotReadyChecks
    """Each check, whether it passes or fails."""


class _SignupRequired(TypedDict):
    project_name: str
    """Name of the project: 1 to 64 letters, digits, "_" and "-"."""
    email: str
    """Mail address that receives the key."""


class Signup(_SignupRequired, total=False):
    tier: Literal["free", "pro", "agency", "studio"]
    """free is created at once; the other tiers after a checkout."""
    turnstile_token: str
    """Response token of the captcha. Required if the installation uses one."""


class _SignedUpRequired(TypedDict):
    status: Literal["created", "checkout_required"]
    """created: the project exists, with its key. checkout_required: it is created when the checkout
    is paid."""
    project_name: str
    """The requested name."""
    tier: Literal["free", "pro", "agency", "studio"]
    """The requested tier."""
    api_key: Optional[str]
    """The secret of the key, shown only once; null until the checkout is paid."""
    intent_id: Optional[int]
    """For `GET /v1/billing/checkout`; null: the project is free."""
    checkout_url: Optional[str]
    """Address of the checkout page, for a browser; null: the project is free."""


class SignedUp(Warned, _SignedUpRequired, total=False):
    project_id: int
    """Only for a free project."""
    prefix: str
    """The first 12 characters of the key."""
    label: str
    """Name of the key."""
    email: str
    """Only for a free project."""
    email_sent: bool
    """Whether the key is also sent by mail; false: this installation has no mail server."""
    mock: bool
    """Test mode without payments: this installation has no payment provider."""


class Checkout(Warned):
    checkout_url: str
    """Address of the checkout page, for a browser."""
    mock: bool
    """Test mode without payments: this installation has no payment provider."""
    intent_id: int
    """The requested intent."""
    tier: Literal["free", "pro", "agency", "studio"]
    """The tier that is bought."""


class PaymentEventData(TypedDict, total=False):
    """The object of the event."""

    object: Dict[str, Any]
    """For `checkout.session.completed`: the session."""


class _PaymentEventRequired(TypedDict):
    type: str
    """Type of the event."""


class PaymentEvent(_PaymentEventRequired, total=False):
    id: str
    """Id of the event. The same event may arrive again."""
    data: PaymentEventData
    """The object of the event."""


class PaymentTaken(TypedDict, total=False):
    received: bool
    """The intent is paid, by this event or an earlier one."""
    intent_id: int
    """The intent that is paid."""
    ignored: str
    """The type of an event that changes nothing."""
    reason: str
    """The reason, for a `checkout.session.completed`: unpaid, unknown_intent or other_session."""


class EvidenceKeysKeysItem(TypedDict):
    kty: Literal["OKP"]
    """Kind of the key."""
    crv: Literal["Ed25519"]
    """Curve of the key."""
    x: str
    """The 32 bytes of the public key, in base64url."""
    kid: str
    """The thumbprint of the key (RFC 7638), which evidence names as key_id."""
    use: Literal["sig"]
    """The key verifies signatures."""
    pem: str
    """The same public key as PEM, for OpenSSL."""


class EvidenceKeys(Warned):
    keys: List[EvidenceKeysKeysItem]
    """The current key first, then former ones. Empty: this installation signs no evidence."""


class _PageActionRequired(TypedDict):
    type: Literal["goto", "click", "fill", "press", "wait_for", "screenshot"]
    """goto: opens `url`. click: clicks the element. fill: sets the value of the field to `value`.
    press: presses `key`, in the element if there is a `selector`. wait_for: waits until the element
    is visible, or for `ms`. screenshot: takes the screenshot now instead of after the last action.
    """


class PageAction(_PageActionRequired, total=False):
    selector: str
    """A CSS selector. The first matching element counts."""
    value: str
    """The value for fill."""
    key: str
    """The key for press, by its name in `KeyboardEvent.key`, such as Enter or Control+a."""
    url: str
    """The address for goto, on the host of the page, absolute or relative to its URL."""
    ms: int
    """For wait_for without a selector: how long to wait, in milliseconds."""


class LoggedOutSigns(TypedDict, total=False):
    """The signs of having been logged out, at least one. The first page with a sign ends the crawl.
    """

    selector: str
    """A CSS selector of an element that only logged-out visitors see, such as the login form."""
    redirect: str
    """The address to which logged-out visitors are redirected, absolute or relative to url. Its query
    does not count."""
    status: int
    """The status that logged-out visitors get."""


class CrawlLogin(TypedDict):
    """Logs in with a browser before the first page. The cookies are kept encrypted until the crawl
    ends, and sent only to hosts of the crawl. If the login fails, the crawl fails with error_reason
    login_failed; if it is lost later, with logged_out. Not with a proxy."""

    steps: List[PageAction]
    """The steps in the browser: goto, fill, click, press and wait_for. The last one is a wait_for
    with a selector that only logged-in visitors see. Values are encrypted, and no response contains
    them."""
    logged_out: LoggedOutSigns


class _CrawlRequestRequired(TypedDict):
    url: str
    """The URL where the crawl starts; http:// or https://."""


class CrawlRequest(_CrawlRequestRequired, total=False):
    max_pages: int
    """Maximum number of pages. The crawl ends when it has that many."""
    max_cost_usd: float
    """Maximum cost in US dollars: the crawl never bills more. It must cover at least one page: a page
    costs 0.001, a rendered page 0.01. Each page in flight reserves its price, with render its
    highest one. When the remaining amount does not cover another page, the crawl ends with
    stop_reason max_cost_usd."""
    max_bytes: int
    """Maximum bytes of all pages together, each with the size of its decoded body. Pages that the
    site did not send again (304) count nothing, nor do robots.txt, sitemaps and failed requests.
    Each page in flight reserves bytes. When a page does not fit into the rest, the crawl ends with
    stop_reason max_bytes."""
    depth: int
    """Maximum number of links from the seed to a page."""
    concurrency: int
    """Concurrent requests; automatic by default. Values above 64 are capped at 64."""
    delay_ms: int
    """Milliseconds between requests to one host."""
    subdomains: bool
    """Follow subdomains of the seed's host."""
    respect_robots: bool
    """Obey robots.txt, including Crawl-delay."""
    store_html: bool
    """Store bodies. Without them, pages have no html, markdown or articles."""
    headers: Dict[str, str]
    """Headers of every request to the seed's site. They are never sent to other sites. The product
    token of a User-Agent among them is public: robots.txt of the seed's site is matched by it, and
    GET /v1/crawls/{id}/policy returns it."""
    cookies: str
    """Cookies for the seed's site, as "k=v; k=v"."""
    webhook_url: str
    """Receives a webhook when the crawl ends as done or failed."""
    webhook_events: List[Literal["crawl.done", "crawl.diff_detected", "crawl.started", "page.fetched", "crawl.failed"]]
    """The events to send. crawl.started, page.fetched (in batches of at most 100 pages) and
    crawl.failed are sent beside the webhook of the end."""
    return_only_changed: bool
    """Monitors only: send no webhook if no page has changed."""
    user_agent: str
    """User-Agent of the crawl; robots.txt is then matched by its product token. If it is left out or
    begins with InternalCrawler/, the crawl uses the User-Agent of a browser."""
    proxy_url: str
    """http://, https:// or socks5://, with user:password@ if needed."""
    proxy_pool: Literal["datacenter", "isp", "residential", "mobile"]
    """A proxy pool of the service. proxy_url takes precedence."""
    proxy_country: str
    """ISO 3166-1 alpha-2, such as DE; only with proxy_pool."""
    seed_kind: Literal["url", "sitemap"]
    """Follow links from url, or crawl the URLs of its sitemap (an origin means /sitemap.xml)."""
    urls: List[str]
    """Further URLs to crawl besides url, each of the same site as url, together at most 2,000,000
    characters. They come before URLs that pages link to, and trap guards do not exclude them. Not
    with seed_kind sitemap."""
    follow_links: bool
    """False: crawl only url and urls, and follow no links. Redirects are followed."""
    include_paths: List[str]
    """RE2 patterns, searched in path and query: only URLs that match one are crawled. They share one
    complexity budget with exclude_paths: patterns that exceed it together are rejected (bad_regex),
    and a crawl that spends too much time on them ends with stop_reason pattern_time."""
    exclude_paths: List[str]
    """RE2 patterns: URLs that match one are skipped, even if include_paths matches."""
    ignore_selectors: List[str]
    """CSS selectors of elements that do not count when pages are compared: clocks, advertisements,
    counters. They apply to the comparison of crawls, to monitors and to the comparison by lines.
    Stored pages and content_hash stay as they are."""
    only_selectors: List[str]
    """CSS selectors: if there are any, only these elements count when pages are compared, without
    title and metadata."""
    ignore_text: List[str]
    """RE2 patterns: the parts of each line of text, link and statement that match do not count when
    pages are compared. They share the complexity budget of include_paths and exclude_paths
    (bad_regex)."""
    min_changed_words: int
    """A page counts as changed only if at least this many words of its text were added or removed; a
    replaced word counts once. Needs stored bodies. A different status always counts."""
    max_age_seconds: int
    """Return an earlier crawl of the same URL and settings if it ended as done within this number of
    seconds. delay_ms, concurrency and the webhook fields may differ, as they do not affect the
    result. An earlier crawl that is returned sends no webhook."""
    aggressive: bool
    """Agency tier and above: delay_ms 0, concurrency 32, respect_robots false. Not with cron."""
    trap_guards: bool
    """Skip URLs that look like part of an endless series, such as a calendar."""
    render: Literal["none", "auto", "always"]
    """Run scripts: auto renders pages that are empty without scripts, always renders every page. A
    rendered page costs one cloud page instead of one page. Not with a proxy."""
    screenshots: bool
    """Store a screenshot of each rendered page, for GET /v1/pages/{id}/screenshot. It needs render,
    and adds nothing to the price of a rendered page."""
    login: CrawlLogin
    conditional: bool
    """Monitors only: send conditional requests (ETag, Last-Modified) based on the previous crawl.
    False fetches all pages each time."""
    cron: str
    """Creates a monitor: five fields of crontab(5), in the local time of timezone."""
    intent: str
    """Monitors only: the change to wait for. The language model of this installation judges the
    changes of each crawl by it, and the webhook has the judgement as `intent`. Requires the consent
    of the project (`PUT /v1/model-consent`)."""
    only_matching: bool
    """Monitors with intent: no webhook if nothing has changed, or if the changes do not match. It is
    still sent if that is unknown."""
    timezone: str
    """Monitors only: IANA time zone of cron, such as Europe/Berlin; UTC by default. When the clock
    changes, no due time is left out and none is due twice: a skipped time is due one hour later, a
    repeated one the first time."""


class MonitorAccepted(Warned):
    monitor_id: int
    """The id of the monitor: change or delete it at /v1/crons/{monitor_id}."""
    schedule: str
    """Five fields of crontab(5), in the local time of timezone."""
    timezone: str
    """IANA time zone of the schedule."""
    next_fires_at: Optional[str]
    """Time of its first crawl."""
    url: str
    """The URL where its crawls start."""
    info: str
    """The next step, for people."""


class _CrawlAcceptedRequired(TypedDict):
    id: int
    """The id of the crawl: read it at /v1/crawls/{id}."""
    status: Literal["queued", "running", "done", "failed", "cancelled"]
    """queued → running → done | failed | cancelled. Only retry-failed leads from done or failed back
    to running."""
    url: str
    """The seed URL."""
    enqueued_at: str
    """Time at which the crawl was accepted."""


class CrawlAccepted(_CrawlAcceptedRequired, total=False):
    reused: bool
    """True: max_age_seconds found this earlier crawl, and nothing is billed."""
    warnings: List[str]
    """Settings of the request that were ignored, and the reason."""


class _RunRequired(TypedDict):
    id: int
    """The crawl."""
    url: str
    """The seed URL."""
    status: Literal["queued", "running", "done", "failed", "cancelled"]
    """queued → running → done | failed | cancelled. Only retry-failed leads from done or failed back
    to running."""
    page_count: int
    """Pages of the crawl, whatever their HTTP status."""
    error_count: int
    """Failed URLs, such as DNS, TLS or a timeout. A 404 never counts."""
    enqueued_at: str
    """Time at which the crawl was accepted."""
    started_at: Optional[str]
    """Time of the order for its first URL; null: not ordered yet."""
    finished_at: Optional[str]
    """Time of its end; null: not ended yet."""
    error_message: Optional[str]
    """Why it failed; null: it did not fail."""
    stop_reason: Optional[str]
    """Reason for the end: exhausted, max_pages, depth, max_cost_usd, max_bytes, quota, time_limit,
    pattern_time (its patterns took too long), cancelled or failed; null: not ended yet."""
    proxy_url: Optional[str]
    """The proxy of the crawl, without its password; null: no proxy."""
    ai_bot_policy: Optional[Dict[str, str]]
    """The rules for AI bots in the robots.txt of the seed: allowed, disallowed, partial or
    unspecified. Null until it is read, and in lists of crawls without `fields=ai_bot_policy`."""
    llms_txt: Optional[str]
    """The llms.txt of the site, up to 64 KiB; null: it has none, or in lists of crawls."""
    llms_full_txt: Optional[str]
    """Like llms_txt."""
    webhook_status: Optional[str]
    """pending, delivered, dead, suppressed_no_change, suppressed_no_baseline or suppressed_no_match;
    null: no webhook, or the crawl has not ended."""
    webhook_attempts: int
    """Number of attempts to deliver the webhook."""
    webhook_last_error: Optional[str]
    """Reason why its last attempt failed; null: it did not fail."""
    previous_run_id: Optional[int]
    """For a monitor: the previous crawl; null: none."""


class Run(Warned, _RunRequired, total=False):
    paused_at: Optional[str]
    """Time at which the client paused it; null: not paused. The status stays running."""
    error_reason: Optional[str]
    """The reason for the failure as a stable code: robots_disallowed, robots_unreachable, dns,
    connect, tls, timeout, proxy, protocol, too_large, too_many_redirects, private_address,
    blocked_domain, sitemap, empty_sitemap, login_failed, logged_out, time_limit and others. Null:
    the crawl did not fail."""
    forked_from: Optional[int]
    """The crawl that this one forks, and whose pages it takes from the store; null: none."""
    pages_reused: int
    """Pages that were taken from the forked crawl. They are not fetched and cost nothing."""


class RunList(Warned):
    items: List[Run]
    """Newest first."""
    next_offset: Optional[int]
    """Offset of the next part; null: this is the last part."""


class ForkRequest(TypedDict, total=False):
    max_pages: int
    """Maximum number of pages. The crawl ends when it has that many."""
    max_cost_usd: Optional[float]
    """Maximum cost in US dollars: the crawl never bills more. It must cover at least one page: a page
    costs 0.001, a rendered page 0.01. Each page in flight reserves its price, with render its
    highest one. When the remaining amount does not cover another page, the crawl ends with
    stop_reason max_cost_usd. null: none."""
    max_bytes: Optional[int]
    """Maximum bytes of all pages together, each with the size of its decoded body. Pages that the
    site did not send again (304) count nothing, nor do robots.txt, sitemaps and failed requests.
    Each page in flight reserves bytes. When a page does not fit into the rest, the crawl ends with
    stop_reason max_bytes. null: none."""
    depth: int
    """Maximum number of links from the seed to a page."""
    concurrency: Optional[int]
    """Concurrent requests; automatic by default. Values above 64 are capped at 64. null: none."""
    delay_ms: int
    """Milliseconds between requests to one host."""
    subdomains: bool
    """Follow subdomains of the seed's host."""
    urls: List[str]
    """Further URLs to crawl besides url, each of the same site as url, together at most 2,000,000
    characters. They come before URLs that pages link to, and trap guards do not exclude them. Not
    with seed_kind sitemap."""
    follow_links: bool
    """False: crawl only url and urls, and follow no links. Redirects are followed."""
    include_paths: List[str]
    """RE2 patterns, searched in path and query: only URLs that match one are crawled. They share one
    complexity budget with exclude_paths: patterns that exceed it together are rejected (bad_regex),
    and a crawl that spends too much time on them ends with stop_reason pattern_time."""
    exclude_paths: List[str]
    """RE2 patterns: URLs that match one are skipped, even if include_paths matches."""
    trap_guards: bool
    """Skip URLs that look like part of an endless series, such as a calendar."""
    ignore_selectors: List[str]
    """CSS selectors of elements that do not count when pages are compared: clocks, advertisements,
    counters. They apply to the comparison of crawls, to monitors and to the comparison by lines.
    Stored pages and content_hash stay as they are."""
    only_selectors: List[str]
    """CSS selectors: if there are any, only these elements count when pages are compared, without
    title and metadata."""
    ignore_text: List[str]
    """RE2 patterns: the parts of each line of text, link and statement that match do not count when
    pages are compared. They share the complexity budget of include_paths and exclude_paths
    (bad_regex)."""
    min_changed_words: Optional[int]
    """A page counts as changed only if at least this many words of its text were added or removed; a
    replaced word counts once. Needs stored bodies. A different status always counts. null: none."""
    webhook_url: Optional[str]
    """Receives a webhook when the crawl ends as done or failed. null: none."""
    webhook_events: List[Literal["crawl.done", "crawl.diff_detected", "crawl.started", "page.fetched", "crawl.failed"]]
    """The events to send. crawl.started, page.fetched (in batches of at most 100 pages) and
    crawl.failed are sent beside the webhook of the end."""


class _RetriedRunRequired(TypedDict):
    id: int
    """The crawl."""
    url: str
    """The seed URL."""
    status: Literal["queued", "running", "done", "failed", "cancelled"]
    """queued → running → done | failed | cancelled. Only retry-failed leads from done or failed back
    to running."""
    page_count: int
    """Pages of the crawl, whatever their HTTP status."""
    error_count: int
    """Failed URLs, such as DNS, TLS or a timeout. A 404 never counts."""
    enqueued_at: str
    """Time at which the crawl was accepted."""
    started_at: Optional[str]
    """Time of the order for its first URL; null: not ordered yet."""
    finished_at: Optional[str]
    """Time of its end; null: not ended yet."""
    error_message: Optional[str]
    """Why it failed; null: it did not fail."""
    stop_reason: Optional[str]
    """Reason for the end: exhausted, max_pages, depth, max_cost_usd, max_bytes, quota, time_limit,
    pattern_time (its patterns took too long), cancelled or failed; null: not ended yet."""
    proxy_url: Optional[str]
    """The proxy of the crawl, without its password; null: no proxy."""
    ai_bot_policy: Optional[Dict[str, str]]
    """The rules for AI bots in the robots.txt of the seed: allowed, disallowed, partial or
    unspecified. Null until it is read, and in lists of crawls without `fields=ai_bot_policy`."""
    llms_txt: Optional[str]
    """The llms.txt of the site, up to 64 KiB; null: it has none, or in lists of crawls."""
    llms_full_txt: Optional[str]
    """Like llms_txt."""
    webhook_status: Optional[str]
    """pending, delivered, dead, suppressed_no_change, suppressed_no_baseline or suppressed_no_match;
    null: no webhook, or the crawl has not ended."""
    webhook_attempts: int
    """Number of attempts to deliver the webhook."""
    webhook_last_error: Optional[str]
    """Reason why its last attempt failed; null: it did not fail."""
    previous_run_id: Optional[int]
    """For a monitor: the previous crawl; null: none."""
    retried_urls: int
    """Number of failed URLs and sitemaps that are fetched again."""


class RetriedRun(Warned, _RetriedRunRequired, total=False):
    paused_at: Optional[str]
    """Time at which the client paused it; null: not paused. The status stays running."""
    error_reason: Optional[str]
    """The reason for the failure as a stable code: robots_disallowed, robots_unreachable, dns,
    connect, tls, timeout, proxy, protocol, too_large, too_many_redirects, private_address,
    blocked_domain, sitemap, empty_sitemap, login_failed, logged_out, time_limit and others. Null:
    the crawl did not fail."""
    forked_from: Optional[int]
    """The crawl that this one forks, and whose pages it takes from the store; null: none."""
    pages_reused: int
    """Pages that were taken from the forked crawl. They are not fetched and cost nothing."""


class SkippedUrlsByReasonTrap(TypedDict):
    """The URL looks like part of an endless series, by trap rule."""

    path_repetition: int
    """The path repeats the same segments."""
    path_depth: int
    """The path is too deep."""
    calendar: int
    """The URL looks like another day of an endless calendar."""
    parameters: int
    """The query is too large, reorders the query of an admitted URL, or recombines known values."""
    session_id: int
    """The URL differs from a known URL only by a session id."""
    equal_content: int
    """Nearly all recent pages of this shape or branch had equal content or layout."""


class SkippedUrlsByReason(TypedDict):
    """By the rule that excludes them."""

    robots: int
    """robots.txt forbids it."""
    robots_unreachable: int
    """robots.txt could not be fetched, so the whole site is disallowed."""
    redirect_out_of_scope: int
    """It redirects to another site."""
    excluded: int
    """One of exclude_paths matches."""
    not_included: int
    """None of include_paths matches."""
    trap: SkippedUrlsByReasonTrap
    """The URL looks like part of an endless series, by trap rule."""


class SkippedUrls(TypedDict):
    """URLs that rules exclude."""

    total: int
    """Total."""
    by_reason: SkippedUrlsByReason
    """By the rule that excludes them."""


class NotReachedUrlsByLimit(TypedDict):
    """By the limit."""

    max_pages: int
    """The max_pages of the request."""
    depth: int
    """The depth of the request."""
    max_cost_usd: int
    """The max_cost_usd of the request."""
    max_bytes: int
    """The max_bytes of the request."""
    quota: int
    """The caps of the project."""
    cancelled: int
    """The crawl was cancelled before the URL was fetched."""
    time_limit: int
    """The time limit of the crawl was reached before the URL was fetched."""
    failed: int
    """The login of the crawl failed, or was lost before the URL was fetched."""
    pattern_time: int
    """The time for include_paths and exclude_paths was used up before the URL was judged."""


class NotReachedUrls(TypedDict):
    """URLs that a limit prevents from being fetched."""

    total: int
    """Total."""
    by_limit: NotReachedUrlsByLimit
    """By the limit."""


class CoverageNotModified(TypedDict):
    """For a monitor: responses with 304, by ETag or Last-Modified."""

    pages: int
    """Pages that the site reported as unchanged and did not send again."""
    bytes_saved: int
    """Bytes of the bodies that were not sent again, counted as transferred by the earlier crawl."""


class CoverageFailed(TypedDict):
    """URLs that got no HTTP response; GET …/errors lists them."""

    total: int
    """Total."""
    by_reason: Dict[str, int]
    """By reason, such as dns, connect or timeout."""


class CoverageBudget(TypedDict):
    """The budget of the request and its use; null: it sets none."""

    max_cost_usd: Optional[float]
    """The max_cost_usd of the request; null: none."""
    cost_usd: Optional[float]
    """Price of the pages in US dollars, as billed; null without max_cost_usd."""
    max_bytes: Optional[int]
    """The max_bytes of the request; null: none."""
    bytes: Optional[int]
    """Bytes of the pages; null without max_bytes."""


class CoverageSitemaps(TypedDict):
    """Sitemaps of the crawl."""

    read: int
    """Sitemaps that were read."""
    failed: int
    """Sitemaps that could not be fetched."""
    cut: int
    """Sitemaps that were read only in part."""


class _CoverageRequired(TypedDict):
    run_id: int
    """The crawl."""
    status: Literal["queued", "running", "done", "failed", "cancelled"]
    """queued → running → done | failed | cancelled. Only retry-failed leads from done or failed back
    to running."""
    stop_reason: Optional[Literal["exhausted", "max_pages", "depth", "max_cost_usd", "max_bytes", "quota", "time_limit", "pattern_time", "cancelled", "failed"]]
    """Reason for the end; null: not ended yet."""
    position: int
    """The position of the last event of the crawl that is counted here."""
    discovered: int
    """fetched + failed + skipped + duplicate + not_reached + pending, at every moment."""
    fetched: int
    """URLs that are pages."""
    not_modified: CoverageNotModified
    """For a monitor: responses with 304, by ETag or Last-Modified."""
    failed: CoverageFailed
    """URLs that got no HTTP response; GET …/errors lists them."""
    skipped: SkippedUrls
    duplicate: int
    """URLs that lead to a page of the crawl under another URL."""
    not_reached: NotReachedUrls
    pending: int
    """URLs that are waiting to be fetched, or are listed in urls and not judged yet."""
    sitemaps: CoverageSitemaps
    """Sitemaps of the crawl."""
    frontier_full: bool
    """Whether the crawl has reached its maximum number of known URLs. URLs found after that were not
    judged."""
    holds: bool
    """Whether the counts add up. Always true."""


class Coverage(Warned, _CoverageRequired, total=False):
    paused_at: Optional[str]
    """Time at which the client paused it; null: not paused."""
    error_message: Optional[str]
    """The reason for the failure in words; null: the crawl did not fail."""
    error_reason: Optional[str]
    """The reason for the failure as a stable code: robots_disallowed, robots_unreachable, dns,
    connect, tls, timeout, proxy, protocol, too_large, too_many_redirects, private_address,
    blocked_domain, sitemap, empty_sitemap, login_failed, logged_out, time_limit and others. Null:
    the crawl did not fail."""
    pages_reused: int
    """For a fork: pages that were taken from the forked crawl without a request."""
    budget: Optional[CoverageBudget]
    """The budget of the request and its use; null: it sets none."""


class RunError(TypedDict):
    url: str
    """The URL in normal form."""
    reason: str
    """Such as dns, connect, tls, timeout or too_large."""
    sentence: str
    """The reason in words."""
    attempts: int
    """Number of attempts. For a seed whose robots.txt could not be fetched: attempts for robots.txt.
    """
    at: str
    """Time of the failure."""
    found_from: Optional[str]
    """The page with the link to the URL; null: the seed, or a sitemap lists it."""


class RunErrorList(Warned):
    items: List[RunError]
    """In the order of the failures."""
    next_offset: Optional[int]
    """Offset of the next part; null: this is the last part."""


class RuleAnswer(TypedDict):
    rule: Literal["scope", "known", "frontier", "trap", "patterns", "depth", "robots", "max_pages", "redirect", "found"]
    """Name of the rule."""
    passed: bool
    """False: this rule excluded the URL."""
    because: str
    """The line, pattern or numbers that decided."""


class _UrlAttemptRequired(TypedDict):
    attempt: int
    """Counted from 1."""
    by: Literal["http", "browser", "store"]
    """The fetcher: a plain client, or a browser that runs scripts. store: the forked crawl has the
    page, so nothing is fetched."""
    ordered_at: Optional[str]
    """Time of the order."""
    ended_at: Optional[str]
    """Time of the outcome; null: still under way."""
    outcome: Literal["fetched", "redirected", "failed", "retried", "skipped", "pending"]
    """The outcome of the request."""
    reason: Optional[str]
    """Reason, such as timeout. script_only: the page is empty without its scripts, and a browser
    retries it. http_500 and the like: the site returned a server error, and the URL is retried once
    at the end of the crawl. Null: no error."""
    not_before: Optional[str]
    """Earliest time of the next attempt."""


class UrlAttempt(_UrlAttemptRequired, total=False):
    of: Literal["robots.txt"]
    """The target of the attempt: the robots.txt of the site, without which the URL is not requested.
    Absent: the URL itself."""


class ExplanationFound(TypedDict):
    """How the crawl found the URL; null: no event of the crawl names it, such as a URL out of scope.
    """

    from_url: Optional[str]
    """Null: the seed, or urls or a sitemap lists it."""
    anchor: Optional[str]
    """Text of the first link to it on that page."""
    depth: Optional[int]
    """Number of links from the seed to the page."""
    at: str
    """Time of the discovery."""
    sequence: int
    """Position of the event of the crawl that records it."""


_ExplanationRedirectsItemRequiredKeys = TypedDict(
    "_ExplanationRedirectsItemRequiredKeys",
    {
        "from": "str",
    },
)


class ExplanationRedirectsItem(_ExplanationRedirectsItemRequiredKeys):
    to: str
    """The target of the redirect."""
    at: str
    """Time of the redirect."""


class _ExplanationRequired(TypedDict):
    url: str
    """The URL in normal form."""
    key: str
    """Key of the URL within the crawl."""
    verdict: Literal["fetched", "failed", "skipped", "duplicate", "not_reached", "pending", "never_seen"]
    """Outcome of the URL."""
    found: Optional[ExplanationFound]
    """How the crawl found the URL; null: no event of the crawl names it, such as a URL out of scope.
    """
    rules: List[RuleAnswer]
    """In the order of evaluation."""
    attempts: List[UrlAttempt]
    """Every attempt to fetch the URL."""
    redirects: List[ExplanationRedirectsItem]
    """The redirects that lead to this URL and from it, in order."""
    duplicate_of: Optional[str]
    """The URL at the end of its redirects, which has the page if there is one; null: the URL is not a
    duplicate."""
    page_id: Optional[int]
    """The page of the URL; null: none."""
    what_would_change: List[str]
    """Changes that lift the deciding rule. Later rules may still exclude the URL."""


class Explanation(Warned, _ExplanationRequired, total=False):
    trace_id: str
    """The trace of the crawl; absent: the crawl has none."""


class PageRange(TypedDict):
    """Estimated number of pages, between two bounds."""

    low: int
    """Lower bound of the number of pages."""
    high: int
    """Upper bound of the number of pages."""


class CrawlEstimateSecondsAtPoliteRate(TypedDict):
    """Delays only: one page every max(delay_ms, Crawl-delay)."""

    low: float
    """Seconds for the lower bound."""
    high: float
    """Seconds for the upper bound."""


class CrawlEstimateCostUsd(TypedDict):
    """Expected cost at the prices of max_cost_usd."""

    low: float
    """Lower bound in US dollars."""
    high: float
    """Upper bound in US dollars, at most max_cost_usd."""


class _CrawlEstimateCostRequired(TypedDict):
    pages: PageRange
    usd: CrawlEstimateCostUsd
    """Expected cost at the prices of max_cost_usd."""


class CrawlEstimateCost(_CrawlEstimateCostRequired, total=False):
    """Expected cost. cloud_pages is absent with `render: none`."""

    cloud_pages: PageRange


class CrawlEstimateOutItem(TypedDict):
    url: str
    """The URL in normal form."""
    rule: str
    """robots, robots_unreachable, exclude, include, max_pages, depth, or the name of a trap rule.
    """
    because: Optional[str]
    """The line, pattern or numbers that decided."""


class CrawlEstimateBasisLastRun(TypedDict):
    """The last crawl of this URL that is done; null: none."""

    id: int
    """The crawl."""
    pages: int
    """Number of its pages."""
    seconds: Optional[float]
    """Duration in seconds; null: unknown."""
    stop_reason: Optional[str]
    """Reason for the end."""


class CrawlEstimateBasis(TypedDict):
    """Basis of the estimate."""

    by: Literal["last_run", "sitemaps", "links", "urls"]
    """Basis of `pages`. last_run: the latest crawl of the URL, which read all pages, with the same
    `seed_kind`, `follow_links`, `urls`, patterns, `subdomains` and `depth`. urls: the crawl follows
    no links."""
    listed: int
    """URLs that the site lists itself, all of them judged."""
    would_be_crawled: int
    """Number of these URLs that would be crawled."""
    truncated: bool
    """Whether the site lists, or may list, more URLs."""
    last_run: Optional[CrawlEstimateBasisLastRun]
    """The last crawl of this URL that is done; null: none."""


_CrawlEstimateRequiredKeys = TypedDict(
    "_CrawlEstimateRequiredKeys",
    {
        "in": "List[str]",
    },
)


class CrawlEstimate(Warned, _CrawlEstimateRequiredKeys):
    url: str
    """The URL where the crawl would start."""
    pages: PageRange
    seconds_at_polite_rate: CrawlEstimateSecondsAtPoliteRate
    """Delays only: one page every max(delay_ms, Crawl-delay)."""
    cost: CrawlEstimateCost
    """Expected cost. cloud_pages is absent with `render: none`."""
    out: List[CrawlEstimateOutItem]
    """Up to 20 URLs that would not be crawled, each with its rule."""
    basis: CrawlEstimateBasis
    """Basis of the estimate."""


class _LlmsTxtRequestRequired(TypedDict):
    url: str
    """The home page of the site, or of a section of it."""


class LlmsTxtRequest(_LlmsTxtRequestRequired, total=False):
    max_pages: int
    """Number of pages to crawl."""
    site_name: str
    """The heading. Default: the name that the site gives itself."""
    summary: str
    """The summary below the heading."""
    wait_seconds: int
    """Maximum time to wait for the crawl. If it takes longer, the response is 408 with the id of the
    crawl, which continues."""
    format: Literal["llms_txt", "llms_full_txt", "json"]
    """The response: llms_txt or llms_full_txt as text, or json with both texts and a report of the
    pages that were left out."""
    max_tokens: int
    """Maximum number of tokens of llms-full.txt, estimated as one per four bytes of UTF-8. Optional
    pages are the first to be left out."""


class LlmsTxtBuildReportLeftOutItem(TypedDict):
    url: str
    """URL of the page, after redirects."""
    reason: Literal["login", "account", "search", "tags", "print", "pagination", "noindex", "duplicate", "http_error", "challenge", "not_html"]
    """The reason as a stable code."""
    sentence: str
    """The reason in words."""


class LlmsTxtBuildReportFull(TypedDict):
    """The extent of llms_full_txt."""

    tokens: int
    """Estimated tokens of llms_full_txt."""
    max_tokens: int
    """The limit."""
    pages: int
    """Number of pages with their content."""
    cut: Optional[str]
    """The page whose content is cut at the limit; null: none."""
    missing: List[str]
    """Listed pages beyond the limit, or without readable content."""


class LlmsTxtBuildReport(TypedDict):
    """The extent of both texts."""

    listed: int
    """Number of listed pages."""
    left_out: List[LlmsTxtBuildReportLeftOutItem]
    """Pages of the crawl that are not listed."""
    full: LlmsTxtBuildReportFull
    """The extent of llms_full_txt."""


class LlmsTxtBuild(Warned):
    run_id: int
    """The crawl that was started."""
    llms_txt: str
    """The llms.txt."""
    llms_full_txt: str
    """The llms-full.txt: the main content of the listed pages."""
    report: LlmsTxtBuildReport
    """The extent of both texts."""


class _MonitorRequired(TypedDict):
    id: int
    """The monitor."""
    schedule: str
    """Five fields of crontab(5), in the local time of timezone."""
    timezone: str
    """IANA time zone of the schedule."""
    url: str
    """The URL where its crawls start."""
    enabled: bool
    """False: the monitor starts no crawls until it is enabled again."""
    last_fired_at: Optional[str]
    """Time of its latest crawl; null: none yet."""
    next_fires_at: Optional[str]
    """Time of its next crawl; null: the monitor is not enabled."""
    last_run_id: Optional[int]
    """Its latest crawl; null: none yet."""
    last_status: Optional[str]
    """Status of its latest crawl that has ended: done, failed or cancelled; null: none has ended yet.
    """
    consecutive_failures: int
    """Number of consecutive scheduled times, up to the latest, whose crawl failed or could not start.
    A crawl that is done resets it to 0. Times that were skipped because a crawl of the monitor was
    still running do not count."""
    webhook_url: Optional[str]
    """Receives the webhooks of its crawls; null: none."""


class Monitor(Warned, _MonitorRequired, total=False):
    webhook_events: Optional[List[Literal["crawl.done", "crawl.diff_detected", "crawl.started", "page.fetched", "crawl.failed"]]]
    """The events that it receives; null: no webhook."""
    return_only_changed: bool
    """Whether crawls without changes send no webhook."""
    intent: Optional[str]
    """The change that the client waits for; null: none is named."""
    only_matching: bool
    """Whether changes that do not match the intent send no webhook."""


class MonitorList(Warned):
    items: List[Monitor]
    """Ordered by id."""


class MonitorChange(TypedDict, total=False):
    schedule: str
    """Five fields of crontab(5), in the local time of timezone."""
    timezone: str
    """IANA time zone of the schedule, such as Europe/Berlin."""
    enabled: bool
    """False: the monitor starts no crawls until it is enabled again."""
    webhook_url: Optional[str]
    """Receives the webhooks of its crawls from now on; null: removes it, and resets webhook_events
    and return_only_changed to their defaults."""
    webhook_events: List[Literal["crawl.done", "crawl.diff_detected", "crawl.started", "page.fetched", "crawl.failed"]]
    """The events to send from the next crawl on; []: only failures. Only with a webhook_url."""
    return_only_changed: bool
    """True: no webhook for crawls without changes. Only with a webhook_url."""
    intent: Optional[str]
    """The change to wait for from the next crawl on, judged by the language model; null: removes it
    and only_matching."""
    only_matching: bool
    """True: no webhook for changes that do not match. Only with an intent."""


class MonitorRun(TypedDict):
    minute: str
    """The scheduled time; for a manual run, the time of the request."""
    asked: bool
    """True: a manual run, not a scheduled one."""
    run_id: Optional[int]
    """The crawl that was started; null: none."""
    status: Literal["queued", "running", "done", "failed", "cancelled", "starting", "skipped", "deleted"]
    """Status of the crawl; deleted: the crawl was deleted; starting: it does not exist yet; skipped:
    none was started."""
    reason: Optional[str]
    """Reason why it was skipped: previous_run_active; too_late, if the crawl could not be started for
    23 hours; or the reason why the crawl was rejected, such as concurrent_runs; null: not skipped.
    """
    page_count: Optional[int]
    """Pages of the crawl; null: the crawl does not exist, or has just started."""
    error_count: Optional[int]
    """Failed URLs of the crawl; null: as for page_count."""


class MonitorRunList(Warned):
    items: List[MonitorRun]
    """Newest first. The last 1,000 runs of a monitor are kept."""
    next_offset: Optional[int]
    """Offset of the next part; null: this is the last part."""


class _PageItemRequired(TypedDict):
    id: int
    """The id of the page, unique across all crawls."""
    url: str
    """URL of the page, after all redirects."""
    status: int
    """HTTP status of the target."""
    bytes: int
    """Length of the decoded body, in bytes."""
    fetched_at: str
    """Time of the fetch."""


class PageItem(_PageItemRequired, total=False):
    content_hash: str
    """SHA-256 in hex of the content that readers see: changes of markup, scripts and the like do not
    affect it."""
    raw_hash: str
    """SHA-256 of the decoded body, in hex."""
    title: Optional[str]
    """Title of the page; null: it has none."""
    depth: int
    """Number of links from the seed to the page."""
    inlinks: Optional[int]
    """Number of other pages of the crawl that link to this page; null: the crawl stores no links.
    """
    requested_url: Optional[str]
    """The URL that redirected here; null: no redirect."""
    content_type: Optional[str]
    """As the site sent it; null: it sent none."""
    blocked: bool
    """The origin returned a challenge instead of its page, which costs nothing."""
    rendered: bool
    """The page was rendered by a browser, and costs one cloud page instead of one page."""
    trace_id: Optional[str]
    """The trace of the fetch, if there is one."""


class PageList(Warned):
    items: List[PageItem]
    """Ordered by id, which is the order in which pages were stored."""
    next_offset: Optional[int]
    """Offset of the next part; null: this is the last part."""


class Chunk(TypedDict):
    """A chunk of the Markdown."""

    id: str
    """Hash of the text and its headings: equal text under equal headings keeps its id."""
    text: str
    """The text, as in `markdown`."""
    start: int
    """Offset of its first character in `markdown`, in UTF-16 code units."""
    end: int
    """Offset after its last character, in UTF-16 code units."""
    heading_path: List[str]
    """Texts of the headings above it, outermost first, each cut to 120 characters."""
    tokens: int
    """Number of tokens of the text."""
    is_part: bool
    """Whether it contains a part of a paragraph, table or code block that alone exceeds the maximum.
    Other blocks are never split."""


class PageMetadata(TypedDict):
    """Metadata in the head of the page; null: none."""

    title: Optional[str]
    """Content of the title element; of a PDF: its title."""
    description: Optional[str]
    """Content of the description meta element."""
    canonical: Optional[str]
    """The canonical link, absolute."""
    lang: Optional[str]
    """The lang attribute of the html element."""
    robots: List[str]
    """Directives of the robots meta elements."""
    og: Dict[str, str]
    """Open Graph properties, without the prefix `og:`."""
    twitter: Dict[str, str]
    """Twitter card properties, without the prefix `twitter:`."""
    json_ld: List[Any]
    """Each JSON-LD script that could be parsed."""


class SignalsAiDirectives(TypedDict):
    """Directives of the page for AI bots."""

    noai: bool
    """Whether it states noai."""
    noimageai: bool
    """Whether it states noimageai."""
    meta: Dict[str, List[str]]
    """Directives of robots meta elements, by bot."""
    x_robots_tag: Dict[str, List[str]]
    """Directives of X-Robots-Tag, by bot."""
    content_signals: Dict[str, str]
    """Content-Signal of the response: yes or no, by use."""
    content_usage: Dict[str, str]
    """Content-Usage of the response: y or n, by use."""
    tdm_reservation: Optional[bool]
    """Whether text and data mining is reserved; null: not stated."""
    tdm_policy: Optional[str]
    """URL of the policy for text and data mining; null: not stated."""


class SignalsLinks(TypedDict):
    """Number of links."""

    internal: int
    """Links to its own site."""
    external: int
    """Links to other sites."""
    nofollow: int
    """Internal and external links with rel nofollow."""
    total: int
    """Internal and external links."""


class Signals(TypedDict):
    """Signals of the page for search engines and AI bots."""

    title: Optional[str]
    """Content of the title element; null: absent."""
    description: Optional[str]
    """Content of the description meta element; null: absent."""
    canonical: Optional[str]
    """The canonical link, absolute; null: absent."""
    lang: Optional[str]
    """The lang attribute of the html element. If it is absent, the language of the text where the
    answer has text or signals and the language is clear; else null."""
    h1: List[str]
    """Headings of the first level, in document order."""
    h2: List[str]
    """Headings of the second level."""
    h3: List[str]
    """Headings of the third level."""
    robots_meta: List[str]
    """Directives of the robots meta elements."""
    jsonld_types: List[str]
    """Every @type of its JSON-LD."""
    hreflang: Dict[str, str]
    """URLs of other languages, by language."""
    ai_directives: SignalsAiDirectives
    """Directives of the page for AI bots."""
    word_count: int
    """Number of words of its text. Elements that are hidden by an attribute or by styles count."""
    char_count: int
    """Number of characters of the same text."""
    links: SignalsLinks
    """Number of links."""


class _PageRequired(TypedDict):
    id: int
    """The id of the page, unique across all crawls."""
    url: str
    """URL of the page, after all redirects."""
    status: int
    """HTTP status of the target."""
    bytes: int
    """Length of the decoded body, in bytes."""
    fetched_at: str
    """Time of the fetch."""
    content_hash: str
    """SHA-256 in hex of the content that readers see: changes of markup, scripts and the like do not
    affect it."""
    content_type: Optional[str]
    """As the site sent it; null: it sent none."""


class Page(Warned, _PageRequired, total=False):
    trace_id: str
    """The trace of the fetch; absent: the crawl has none."""
    html: Optional[str]
    """The decoded body as served; empty: it is neither HTML nor text, such as a PDF; null: it is not
    stored."""
    markdown: str
    """CommonMark with tables; links are kept and absolute."""
    chunks: List[Chunk]
    """The Markdown in chunks, in order. Without an overlap, their texts together are the Markdown.
    """
    article_text: str
    """The main text, with an empty line between paragraphs."""
    article_html: str
    """The article as clean HTML."""
    article_markdown: str
    """The article as Markdown, without its headline."""
    metadata: PageMetadata
    signals: Union[Signals, Any]
    """Signals of the page for search engines and AI bots."""


class _PageExtractRequestRequired(TypedDict):
    schema: Dict[str, Any]
    """JSON Schema (draft 2020-12) of an object. Values come from the structured data, metadata,
    tables and definition lists of the page, by the names of the properties. `x-selector` selects
    elements, `x-alias` adds names, `x-type` names the schema.org type of an item."""


class PageExtractRequest(_PageExtractRequestRequired, total=False):
    prompt: str
    """Instruction for the language model of this installation, which then fills the properties that
    are still null. Requires the consent of the project (`PUT /v1/model-consent`). Without a model:
    503 not_configured."""
    model: str
    """Requests the language model without a prompt: `default`, or its name."""


class ModelUse(TypedDict):
    """The language model that was used. Absent: none was used."""

    name: str
    """The name of the model."""
    input_tokens: int
    """Tokens that the model received."""
    output_tokens: int
    """Tokens that the model wrote."""


_ExtractionFieldsItemRequiredKeys = TypedDict(
    "_ExtractionFieldsItemRequiredKeys",
    {
        "from": "Literal[\"selector\", \"jsonld\", \"microdata\", \"opengraph\", \"table\", \"model\"]",
    },
)


class ExtractionFieldsItem(_ExtractionFieldsItemRequiredKeys):
    """The source of a value."""

    path: str
    """JSON pointer to the value in `data`."""
    where: str
    """The place in the source, such as `json_ld[0].offers.price`. For a model the line of the page
    that has the value, such as `text: Price: 49.90 EUR`."""


class ExtractionErrorsItem(TypedDict):
    path: str
    """JSON pointer to the invalid value."""
    message: str
    """The rule that it breaks."""


class _ExtractionRequired(TypedDict):
    data: Dict[str, Any]
    """The filled object. Properties without a value on the page are null."""
    fields: List[ExtractionFieldsItem]
    """The source of each value."""
    valid: bool
    """Whether the object, without its nulls, is valid by the schema."""
    errors: List[ExtractionErrorsItem]
    """At most 50 errors."""


class Extraction(_ExtractionRequired, total=False):
    """Values by the JSON Schema of the request."""

    model: ModelUse


class PageExtraction(Warned):
    id: int
    """The page."""
    url: str
    """URL of the page, after all redirects."""
    status: int
    """HTTP status of the target."""
    extraction: Extraction


class _ReplayChangeRequired(TypedDict):
    field: str
    """The field: title, content_hash, comparison_hash, charset, metadata.title, metadata.description,
    metadata.canonical, metadata.lang, metadata.robots, metadata.og, metadata.twitter,
    metadata.json_ld."""
    stored: Optional[str]
    """The value that the crawl stored. A list or an object is JSON. null: the page has none."""
    now: Optional[str]
    """The value of today. A list or an object is JSON. null: the page has none."""


class ReplayChange(_ReplayChangeRequired, total=False):
    truncated: Literal[True]
    """Present if a value exceeds 1000 characters. Both are cut to this length around their first
    difference."""


class ReplayLink(TypedDict):
    to_url: str
    """Target of the link, in normal form."""
    anchor: str
    """Text of the link; empty: it has none."""
    rel: Optional[str]
    """The rel attribute as written; null: absent."""
    nofollow: bool
    """Whether rel says nofollow."""


class ReplayLinks(TypedDict):
    """Links to any site that differ. A link with another text or rel is removed and added. The order
    is not compared."""

    added_total: int
    """Number of links that only the extractor of today finds."""
    added: List[ReplayLink]
    """The first 20 of them."""
    removed_total: int
    """Number of links that only the crawl stored."""
    removed: List[ReplayLink]
    """The first 20 of them."""


class ReplayedPage(TypedDict):
    """A page that differs. `links` is null if its links are the same."""

    id: int
    """The page."""
    url: str
    """URL of the page, after redirects."""
    changes: List[ReplayChange]
    """The fields that differ."""
    links: Union[ReplayLinks, Any]
    """Links to any site that differ. A link with another text or rel is removed and added. The order
    is not compared."""


class Replay(Warned):
    run_id: int
    """The crawl."""
    items: List[ReplayedPage]
    """The pages of this part that differ, ordered by id."""
    pages_read: int
    """Pages of this part that were read and compared."""
    pages_changed: int
    """Those of them that differ: the number of items."""
    pages_not_stored: int
    """Pages of this part whose body is not stored."""
    pages_unreadable: int
    """Pages of this part that cannot be read today; `warnings` has the reasons."""
    total: int
    """Pages of the crawl."""
    next_offset: Optional[int]
    """Offset of the next part; null: this is the last part."""


class LinkEdge(TypedDict):
    from_page_id: int
    """The page that contains the link."""
    to_url: str
    """Target of the link, in normal form."""
    anchor: str
    """Text of the link; empty: it has none."""
    rel: Optional[str]
    """The rel attribute as written; null: absent."""
    nofollow: bool
    """Whether rel says nofollow."""


class LinkList(Warned):
    items: List[LinkEdge]
    """Ordered by the id of the page, then in document order."""
    next_offset: Optional[int]
    """Offset of the next part; null: this is the last part."""


class OrphanListItemsItem(TypedDict):
    id: int
    """The page."""
    url: str
    """The URL of the page, after redirects."""
    status: int
    """HTTP status of the target."""
    fetched_at: str
    """Time of the fetch."""


class OrphanList(Warned):
    items: List[OrphanListItemsItem]
    """Ordered by id."""


class _ExportChunkRequestRequired(TypedDict):
    max_tokens: int
    """Maximum number of tokens of a chunk, counted with o200k_base."""


class ExportChunkRequest(_ExportChunkRequestRequired, total=False):
    """jsonl, parquet: splits the Markdown into chunks, which are added as `chunks`. parquet has them
    in the table pages, or in the table chunks if it is chosen."""

    overlap: int
    """Maximum number of tokens that a chunk repeats from the one before in the same section. At most
    half of the maximum of a chunk. Default: 0."""
    embeddings: bool
    """Adds the embedding of each chunk by the model of this installation: `embedding` of a chunk in
    jsonl, a column of the table chunks in parquet. It needs the consent of the project, and its
    tokens are rows of the ledger. Default: false."""


class ExportSelection(TypedDict, total=False):
    """The selected pages, and choices of some formats."""

    status: List[int]
    """Only pages with one of these HTTP statuses. Default: all."""
    url_prefix: str
    """Only pages whose URL begins with this text. Default: all."""
    max_depth: int
    """Only pages with at most this number of links from the seed. Default: all."""
    include: List[Literal["html", "markdown", "article", "metadata", "headers", "links"]]
    """jsonl, parquet: parts of the content of each page. `metadata` is always included. parquet has
    links in a table. warc, wacz: `markdown` adds conversion records. Default: none."""
    only_main_content: bool
    """The Markdown contains only the main content, without menus, headers and footers. Default: true
    for the format markdown, else false."""
    chunks: ExportChunkRequest
    tables: List[Literal["pages", "links", "chunks"]]
    """parquet: its tables. Several tables are a ZIP of their files. chunks has a row per chunk.
    Default: pages, or chunks with embeddings."""
    graph: Literal["gexf", "csv"]
    """graph: GEXF, or a ZIP of CSV files. Default: gexf."""


class _ExportRequestSinkRequired(TypedDict):
    type: Literal["download", "s3"]
    """download: kept here. s3: sent to a bucket."""


class ExportRequestSink(_ExportRequestSinkRequired, total=False):
    """The target of the file. Default: download. s3 needs endpoint, bucket and the access key."""

    endpoint: str
    """Address of the S3 service, without a path. It must be public."""
    bucket: str
    """The bucket. It must exist."""
    region: str
    """The region of the bucket. Default: us-east-1."""
    key: str
    """Name of the object. An existing object is replaced. Default: a name with the id of the export.
    """
    path_style: bool
    """true: the bucket is in the path (`https://host/bucket/…`). false: it is in the host. Default:
    true."""
    access_key_id: str
    """Id of an access key that may put objects. It is stored encrypted."""
    secret_access_key: str
    """Secret of the access key. It is stored encrypted until the export ends, and never shown."""


class _ExportRequestRequired(TypedDict):
    format: Literal["jsonl", "markdown", "parquet", "warc", "wacz", "sitemap", "graph"]
    """jsonl: a line per page. markdown: a ZIP with a file per page. parquet: tables of pages and
    links. warc, wacz: web archives. sitemap: XML sitemaps. graph: pages and their links."""


class ExportRequest(_ExportRequestRequired, total=False):
    select: ExportSelection
    sink: ExportRequestSink
    """The target of the file. Default: download. s3 needs endpoint, bucket and the access key."""


class ExportSinkDownload(TypedDict):
    type: Literal["download"]
    """Kept here for download."""


class _ExportSinkS3Required(TypedDict):
    type: Literal["s3"]
    """Sent to an S3 bucket."""
    endpoint: str
    """Address of the S3 service, without a path. It must be public."""
    bucket: str
    """The bucket. It must exist."""


class ExportSinkS3(_ExportSinkS3Required, total=False):
    region: str
    """The region of the bucket. Default: us-east-1."""
    key: str
    """Name of the object. An existing object is replaced. Default: a name with the id of the export.
    """
    path_style: bool
    """true: the bucket is in the path (`https://host/bucket/…`). false: it is in the host. Default:
    true."""


class ExportEmbeddings(TypedDict):
    """The embeddings so far. Absent: none was requested, or the model has not responded yet."""

    model: str
    """Name of the model."""
    dimensions: int
    """Number of values in each embedding."""
    texts: int
    """Different texts that the model has received. Equal texts are sent once."""
    tokens: int
    """Tokens of these texts, as the ledger has them."""


class ExportError(TypedDict):
    """Why it failed; null: it did not fail."""

    reason: str
    """Such as run_deleted, too_large, s3_refused or embeddings_invalid."""
    message: str
    """The reason in words, with the remedy."""


class _ExportRequired(TypedDict):
    id: int
    """The id of the export."""
    run_id: int
    """The crawl."""
    format: Literal["jsonl", "markdown", "parquet", "warc", "wacz", "sitemap", "graph"]
    """jsonl: a line per page. markdown: a ZIP with a file per page. parquet: tables of pages and
    links. warc, wacz: web archives. sitemap: XML sitemaps. graph: pages and their links."""
    select: ExportSelection
    sink: Union[ExportSinkDownload, ExportSinkS3]
    """The target of the file."""
    status: Literal["queued", "running", "done", "failed", "expired"]
    """done: the file is complete. expired: it was removed. failed: `error` has the reason."""
    created_at: str
    """Time of the request."""
    finished_at: Optional[str]
    """Time of its end; null: it has not ended."""
    expires_at: Optional[str]
    """Time when the file is removed; null: there is no file here."""
    records: Optional[int]
    """Number of selected pages; null: not done."""
    bytes: Optional[int]
    """Length of the file; null: not done."""
    sha256: Optional[str]
    """SHA-256 of the file, in hex; null: not done."""
    error: Optional[ExportError]
    """Why it failed; null: it did not fail."""
    download_url: Optional[str]
    """Signed address of the file. It needs no key. It expires, by default after an hour: read the
    export again for a new one. null: no file here."""


class Export(Warned, _ExportRequired, total=False):
    embeddings: ExportEmbeddings
    """The embeddings so far. Absent: none was requested, or the model has not responded yet."""


class ExportList(Warned):
    items: List[Export]
    """Newest first."""
    next_offset: Optional[int]
    """Offset of the next part; null: this is the last part."""


class DeletedExport(Warned):
    deleted: Literal[True]
    """Always true."""
    id: int
    """The deleted export."""


class EvidenceStatement(TypedDict):
    """The facts that are signed."""

    crawl_id: int
    """The crawl."""
    error_count: int
    """Number of URLs that failed. The tree does not contain them."""
    finished_at: str
    """Time of the end of the crawl."""
    key_id: str
    """The `kid` of the key that signed: its thumbprint (RFC 7638)."""
    page_count: int
    """Number of leaves: the pages of the crawl."""
    root: str
    """The root of the tree, in hex."""
    signed_at: str
    """Time of the signature, by the clock of the gateway."""
    started_at: Optional[str]
    """Time of the start of the crawl; null: it never started."""
    status: str
    """done, failed or cancelled."""
    stop_reason: Optional[str]
    """Reason for the end of the crawl."""
    url: str
    """The seed URL."""


class EvidenceTimestamp(TypedDict):
    """Time-stamp of an independent authority. null: it is missing, and warnings has the reason.
    Absent: this installation uses no authority."""

    gen_time: str
    """Time of the time-stamp by the clock of the authority, cut to milliseconds."""
    tsa: str
    """Subject of the certificate that signed the token."""
    policy: str
    """Policy of the authority, as an object identifier."""
    serial_number: str
    """Serial number of the token, in hex."""
    token: str
    """The TimeStampToken (RFC 3161) with its certificates, as DER in base64. It stamps the SHA-256 of
    signed_text, a line feed and signature, in UTF-8."""


class _EvidenceRequired(TypedDict):
    statement: EvidenceStatement
    """The facts that are signed."""
    signed_text: str
    """The signed text in UTF-8: `tidemark-evidence-v1`, a line feed, and the statement as canonical
    JSON (RFC 8785)."""
    signature: str
    """Ed25519 signature of signed_text (RFC 8032), in base64."""


class Evidence(Warned, _EvidenceRequired, total=False):
    """The signed root of the tree over all pages of a crawl."""

    timestamp: Optional[EvidenceTimestamp]
    """Time-stamp of an independent authority. null: it is missing, and warnings has the reason.
    Absent: this installation uses no authority."""


class _EvidenceLeafRequired(TypedDict):
    blocked: bool
    """The origin returned a challenge instead of its page."""
    bytes: int
    """Length of the decoded body, in bytes."""
    content_hash: str
    """SHA-256 in hex of the content that readers see: changes of markup, scripts and the like do not
    affect it."""
    fetched_at: str
    """Time at which the response was complete, by the clock of the crawler."""
    id: int
    """The page."""
    raw_hash: str
    """SHA-256 of the decoded body, in hex."""
    rendered: bool
    """The body is the document in a browser after its scripts had run."""
    requested_url: Optional[str]
    """The URL that was requested and redirected to url; null: no redirect."""
    status: int
    """HTTP status of the target."""
    url: str
    """URL of the page, after all redirects."""


class EvidenceLeaf(_EvidenceLeafRequired, total=False):
    """A leaf of the tree: the facts about one page."""

    address: str
    """IP address of the host that sent the page. Absent if it is not known: a proxy or a browser
    fetched the page, or a fork took it from the store."""
    certificate: str
    """SHA-256 of the certificate of that host in DER, in hex. Absent if it is not known, or the page
    was fetched without TLS."""


class PageEvidence(Warned):
    leaf: EvidenceLeaf
    leaf_index: int
    """Position of the leaf in the tree, from 0."""
    audit_path: List[str]
    """Sibling hashes from the leaf to the root (RFC 9162, 2.1.3)."""
    evidence: Evidence


class EvidenceLeafList(Warned):
    items: List[EvidenceLeaf]
    """In the order of the tree, which is that of their ids."""
    next_offset: Optional[int]
    """Offset of the next part; null: this is the last part."""


class CrawlPolicyNotRequested(TypedDict):
    """URLs of all hosts that were found and not requested, by reason."""

    skipped: SkippedUrls
    not_reached: NotReachedUrls
    frontier_full: bool
    """Whether the crawl has reached its maximum number of known URLs. URLs found after that were not
    judged."""
    events_path: str
    """The path that returns these decisions with their URLs, as server-sent events. URLs that were
    pending at the end have no decision: see /explain."""


class CrawlPolicyItemsItemRobotsRulesItem(TypedDict):
    allow: bool
    """true: an Allow rule. false: a Disallow rule."""
    pattern: str
    """The path of the rule."""


class CrawlPolicyItemsItemRobots(TypedDict):
    """The robots.txt that the crawl obeyed last; null: it requested none."""

    verdict: Literal["rules", "allow_all", "disallow_all", "unreachable"]
    """The use of the file (RFC 9309, 2.3.1). rules: it was read. allow_all: 4xx. disallow_all: 5xx or
    429. unreachable: no response, so everything is disallowed."""
    status: Optional[int]
    """HTTP status of robots.txt; null: no response."""
    reason: Optional[str]
    """Why it could not be read, such as timeout; null: a response came."""
    decided_at: str
    """Time at which the crawl applied it."""
    body_hash: Optional[str]
    """SHA-256 of the file, in hex, or of its first 512 KiB on the wire; null: it was not read."""
    agent: Optional[str]
    """The user agent of the group that applied; null: no group matched."""
    crawl_delay: Optional[float]
    """Crawl-delay of the group in seconds; null: none."""
    rules: List[CrawlPolicyItemsItemRobotsRulesItem]
    """The rules of the group that applied, at most 100."""
    rule_count: int
    """Number of rules of the group that the crawl kept."""


class CrawlPolicyItemsItemNotRequested(TypedDict):
    """URLs of the host that were found and not requested because of robots.txt."""

    robots: int
    """URLs that robots.txt disallows."""
    robots_unreachable: int
    """URLs whose robots.txt could not be read. If the URL of the request is among them, /coverage
    counts it as failed."""


class CrawlPolicyItemsItemPagesSecondsItem(TypedDict):
    pages: int
    """Pages in one second; 50 counts 50 and more."""
    seconds: int
    """Number of seconds with this number of pages."""


class CrawlPolicyItemsItemPages(TypedDict):
    """The times of the stored pages of the host, from fetched_at."""

    count: int
    """Number of stored pages of the host."""
    first_at: Optional[str]
    """fetched_at of the first page; null: no page."""
    last_at: Optional[str]
    """fetched_at of the last page; null: no page."""
    smallest_gap_ms: Optional[int]
    """Smallest time between two pages that follow each other; null: fewer than two pages."""
    average_gap_ms: Optional[int]
    """Average time between two pages that follow each other; null: fewer than two pages."""
    gaps_below_delay: int
    """Number of these times that are below delay_ms."""
    seconds: List[CrawlPolicyItemsItemPagesSecondsItem]
    """Seconds of the clock in which pages were complete, by their number of pages."""


class CrawlPolicyItemsItem(TypedDict):
    origin: str
    """Scheme, host and port, such as https://example.com."""
    robots: Optional[CrawlPolicyItemsItemRobots]
    """The robots.txt that the crawl obeyed last; null: it requested none."""
    delay_ms: int
    """Minimum milliseconds between two requests: delay_ms, or a longer Crawl-delay."""
    not_requested: CrawlPolicyItemsItemNotRequested
    """URLs of the host that were found and not requested because of robots.txt."""
    pages: CrawlPolicyItemsItemPages
    """The times of the stored pages of the host, from fetched_at."""


class CrawlPolicy(Warned):
    run_id: int
    """The crawl."""
    respect_robots: bool
    """Whether the crawl obeyed robots.txt."""
    user_agent: Optional[str]
    """user_agent of the request, or the product token of the User-Agent among its headers, by which
    robots.txt of the hosts that receive them is matched; null: that of the installation."""
    delay_ms: int
    """delay_ms of the request."""
    ai_bot_policy: Optional[Dict[str, str]]
    """The rules for AI bots in the robots.txt of the seed, by bot; null: it was not read."""
    has_llms_txt: bool
    """Whether the crawl read an llms.txt at the seed."""
    not_requested: CrawlPolicyNotRequested
    """URLs of all hosts that were found and not requested, by reason."""
    items: List[CrawlPolicyItemsItem]
    """The hosts, in the order in which the crawl found them."""
    next_offset: Optional[int]
    """Offset of the next part; null: this is the last part."""


class HashedPage(TypedDict):
    url: str
    """URL of the page, after redirects."""
    hash: str
    """Its content_hash, or its raw_hash if the installation compares raw hashes."""
    status: int
    """HTTP status of the page in the crawl that has it."""


class UncomparedPage(TypedDict):
    url: str
    """URL of the page, after redirects."""
    cause: str
    """A failure reason such as timeout, dns or connect; blocked: a challenge; robots,
    robots_unreachable, excluded, not_included, trap, redirect_out_of_scope; max_pages, depth,
    max_cost_usd, max_bytes, quota, time_limit, pattern_time, cancelled, run_failed, frontier_full;
    pending: the crawl has not ended; sitemap: a sitemap could not be read; unknown: a page with a
    link to it could not be read, or returned an error."""


class RunDiffSummary(TypedDict):
    """Number of pages in each class. Every page of either crawl is in exactly one class."""

    added: int
    """Pages of the newer crawl for which the older one got a 404 or 410, or could have found a page
    and did not."""
    removed: int
    """Pages of the older crawl for which the newer one got a 404 or 410, or could have found a page
    and did not."""
    changed: int
    """Pages of both crawls whose content_hash or status differs."""
    unchanged: int
    """Pages of both crawls with equal content_hash and status, and URLs with a 404 or 410 that are
    not a page of the other crawl either."""
    not_revisited: int
    """Pages that the older crawl could read and the newer one could not. They do not count as
    differences."""
    not_compared: int
    """Pages that the older crawl could not read, or that only the newer one has and with a challenge.
    They do not count as differences."""
    pages: int
    """Pages of either crawl, each URL once: the sum of the six counts above."""


class RunDiffChangedItemFieldsValue(TypedDict):
    old: Union[Union[str, float, List[str]], Any]
    """In the older crawl."""
    new: Union[Union[str, float, List[str]], Any]
    """In the newer crawl."""


class _RunDiffChangedItemRequired(TypedDict):
    url: str
    """URL of the page in both crawls, after redirects."""
    old_hash: str
    """content_hash in the older crawl."""
    new_hash: str
    """content_hash in the newer crawl."""
    old_status: int
    """HTTP status in the older crawl."""
    new_status: int
    """HTTP status in the newer crawl."""


class RunDiffChangedItem(_RunDiffChangedItemRequired, total=False):
    fields: Dict[str, RunDiffChangedItemFieldsValue]
    """The requested fields that differ."""


class RunDiff(Warned):
    old_run_id: int
    """The older crawl."""
    new_run_id: int
    """The newer crawl."""
    summary: RunDiffSummary
    """Number of pages in each class. Every page of either crawl is in exactly one class."""
    added: List[HashedPage]
    """Pages of the newer crawl for which the older one got a 404 or 410, or could have found a page
    and did not."""
    removed: List[HashedPage]
    """Pages of the older crawl for which the newer one got a 404 or 410, was redirected to another of
    its pages, or could have reached them and found no link."""
    changed: List[RunDiffChangedItem]
    """Pages of both crawls whose content_hash or status differs. A 4xx or 5xx is a response like any
    other."""
    not_revisited: List[UncomparedPage]
    """Pages that the older crawl could read and the newer one could not, each with its cause."""
    not_compared: List[UncomparedPage]
    """Pages that the older crawl could not read, or that only the newer one has and with a challenge,
    each with its cause."""


class DiffWords(TypedDict):
    change: Literal["same", "added", "removed"]
    """Whether only one of the two lines has these words."""
    text: str
    """The words, with the white space between them."""


class _DiffLineRequired(TypedDict):
    change: Literal["same", "added", "removed"]
    """Whether only one of the two pages has the line."""
    text: str
    """The line without its line ending."""


class DiffLine(_DiffLineRequired, total=False):
    old_line: int
    """Line number in the older page, counted from 1."""
    new_line: int
    """Line number in the newer page, counted from 1."""
    words: List[DiffWords]
    """For a line that replaces another: the words that are equal and those that differ."""


class ChangedLine(TypedDict):
    change: Literal["added", "removed"]
    """Whether the newer page has the line, or only the older one."""
    text: str
    """The line as the page has it, or a part of a line of more than 200 characters."""


class DiffInWords(TypedDict):
    """The change in words, if requested. Null: nothing has changed, or a warning has the reason:
    not_configured, no_consent, model_calls, model_failed or not_quoted."""

    text: str
    """The change in at most three sentences. Every number in it is in the changed lines."""
    quotes: List[ChangedLine]
    """The changed lines that the text is about; at least one."""


class PageDiffSummary(TypedDict):
    """Number of lines of each kind, and of changed words."""

    added: int
    """Lines that only the newer page has."""
    removed: int
    """Lines that only the older page has."""
    same: int
    """Lines that both pages have."""
    changed_words: int
    """Words that only one of the pages has: of the page with more of them, so a replaced word counts
    once. Words that only move do not count."""


class _PageDiffRequired(TypedDict):
    old_run_id: int
    """The older crawl."""
    new_run_id: int
    """The newer crawl."""
    url: str
    """URL of the page, after redirects."""
    old_page_id: int
    """The page in the older crawl."""
    new_page_id: int
    """The page in the newer crawl."""
    mode: Literal["text", "markdown"]
    """The form of the page that was compared."""
    summary: PageDiffSummary
    """Number of lines of each kind, and of changed words."""
    lines: List[DiffLine]
    """Changed lines with three lines of context, in document order."""
    truncated: bool
    """Whether something was left out of a long text or of many changes."""


class PageDiff(Warned, _PageDiffRequired, total=False):
    in_words: Union[DiffInWords, Any]
    """The change in words, if requested. Null: nothing has changed, or a warning has the reason:
    not_configured, no_consent, model_calls, model_failed or not_quoted."""
    model: ModelUse


class _ChunkRequestRequired(TypedDict):
    max_tokens: int
    """Maximum number of tokens of a chunk, counted with o200k_base."""


class ChunkRequest(_ChunkRequestRequired, total=False):
    """Splits the Markdown into chunks, which are added as `chunks`."""

    overlap: int
    """Maximum number of tokens that a chunk repeats from the one before in the same section. At most
    half of the maximum of a chunk. Default: 0."""


class _SelectorRequired(TypedDict):
    selector: str
    """A CSS selector."""


class Selector(_SelectorRequired, total=False):
    attr: str
    """The attribute to extract. Default: the text."""
    all: bool
    """Whether to return all matches as a list instead of the first one."""


class ScanRequestExtract(TypedDict, total=False):
    """Values to extract, by name: a CSS selector, or {selector, attr, all}. They are returned as
    `extracted`. With `{schema: …}`, a JSON Schema, they are returned as `extraction`."""

    schema: Union[str, Selector, Dict[str, Any]]
    """A JSON Schema for `extraction`. A CSS selector here extracts a value named `schema`, as under
    any other name."""
    prompt: Union[str, Selector]
    """Beside a schema: Instruction for the language model of this installation, which then fills the
    properties that are still null. Requires the consent of the project (`PUT /v1/model-consent`).
    Without a model: 503 not_configured. `model` requests it without a prompt: `default`, or its
    name. Without a schema it is a CSS selector, as under any other name."""


class _ScanRequestRequired(TypedDict):
    url: str
    """A public URL; http:// or https://."""


class ScanRequest(_ScanRequestRequired, total=False):
    user_agent: str
    """User-Agent of the request. Default: that of a browser."""
    max_age_seconds: int
    """Use the newest page that a crawl or a scan of the project has stored if it is younger than this
    number of seconds. A page of a scan was requested by the same user_agent and cloud_mode."""
    cloud_mode: Literal["none", "auto", "unblocker", "browser"]
    """Means beyond plain HTTP: auto uses the unblocker after a challenge, a failure, 403 or 406, and
    a browser if only scripts make the page, unblocker uses it from the start, browser uses only a
    browser. Default: the setting of the project, or none."""
    metadata_only: bool
    """Leave out markdown and article."""
    only_main_content: bool
    """Markdown without navigation, site header, footer and the like."""
    include_links: bool
    """Add the links of the page as `anchors`."""
    include_article: bool
    """Add the main text as `article_text`."""
    chunks: ChunkRequest
    screenshot_inline: bool
    """Add a screenshot of the page, of at most its first 20,000 pixels in height, as `screenshot`.
    Costs one cloud page per screenshot. Stored pages are not used."""
    extract: ScanRequestExtract
    """Values to extract, by name: a CSS selector, or {selector, attr, all}. They are returned as
    `extracted`. With `{schema: …}`, a JSON Schema, they are returned as `extraction`."""


class _CloudTryRequired(TypedDict):
    backend: Literal["http", "faithful", "browser", "proxy", "vendor"]
    """The backend."""
    outcome: Literal["got", "blocked", "failed", "not_configured"]
    """Outcome; blocked: the site returned a challenge for bots."""
    reason: Optional[str]
    """Reason for the failure as a stable code, or the vendor of the challenge; null: success."""
    elapsed_ms: float
    """Duration in milliseconds."""
    cost_usd: float
    """Cost of the attempt in US dollars. The costs of all attempts add up to `cost_usd` of the
    response."""


class CloudTry(_CloudTryRequired, total=False):
    pool: Literal["datacenter", "isp", "residential", "mobile"]
    """Kind of the proxy."""


class ScanAnchorsItem(TypedDict):
    to: str
    """Absolute, in normal form."""
    anchor: str
    """Text of the link; empty: it has none."""
    rel: Optional[str]
    """The rel attribute; null: absent."""
    nofollow: bool
    """Whether rel says nofollow."""


class _ScanRequired(TypedDict):
    url: str
    """The requested URL."""
    final_url: str
    """URL of the page, after all redirects."""
    status: int
    """HTTP status of the target."""
    bytes: int
    """Length of the decoded body, in bytes."""
    fetched_at: str
    """Time of the response."""
    content_hash: str
    """SHA-256 in hex of the content that readers see: changes of markup, scripts and the like do not
    affect it."""
    content_type: Optional[str]
    """As the site sent it; null: it sent none."""
    cached: bool
    """Whether the page was stored by an earlier crawl or scan."""
    blocked: bool
    """Whether the site returned a challenge instead of the page, which costs nothing."""
    metadata: PageMetadata
    signals: Signals
    ai_bot_policy: Optional[Dict[str, Literal["allowed", "disallowed", "partial", "unspecified"]]]
    """Rules of robots.txt by bot. unspecified: no rule names the bot, so everything is allowed."""
    llms_txt: Optional[str]
    """The llms.txt of the site, up to 256 KiB (of a stored page 64 KiB); null: it has none, or it
    could not be read."""


class Scan(Warned, _ScanRequired, total=False):
    markdown: str
    """CommonMark with tables; links are kept and absolute."""
    article_text: str
    """The main text, with an empty line between paragraphs."""
    article_html: str
    """The article as clean HTML."""
    chunks: List[Chunk]
    """The Markdown in chunks, in order. Without an overlap, their texts together are the Markdown.
    """
    anchors: List[ScanAnchorsItem]
    """The links of the page, in document order."""
    extracted: Dict[str, Union[Optional[str], List[str]]]
    """Extracted values, by the names in `extract`; null or an empty list: no match."""
    extraction: Extraction
    screenshot: str
    """PNG, base64-encoded."""
    screenshot_error: str
    """Reason why the requested screenshot is missing. It costs nothing then."""
    backend: Literal["http", "faithful", "browser", "proxy", "vendor"]
    """The backend that fetched the page, if more than plain HTTP was allowed. Every backend except
    http costs one cloud page more."""
    tried: List[CloudTry]
    """Every backend that was tried, in order."""
    cost_usd: float
    """Cost of the backends in US dollars, beside pages and cloud pages."""


class _BulkScanRequestRequired(TypedDict):
    urls: List[str]
    """Up to 100 URLs. Each has its own result, even an invalid URL."""


class BulkScanRequest(_BulkScanRequestRequired, total=False):
    concurrency: int
    """Concurrent requests, from 1 to 64. Other values are set to the nearest bound. At most four to
    one host."""
    metadata_only: bool
    """Leave out markdown and article."""
    max_age_seconds: int
    """Use the newest page that a crawl or a scan of the project has stored if it is younger than this
    number of seconds. A page of a scan was requested by the same user_agent and cloud_mode."""
    user_agent: str
    """User-Agent of the request. Default: that of a browser."""


class _BulkResultRequired(TypedDict):
    url: str
    """The requested URL."""
    final_url: str
    """URL of the page, after all redirects."""
    status: int
    """HTTP status of the target."""
    bytes: int
    """Length of the decoded body, in bytes."""
    fetched_at: str
    """Time of the response."""
    content_hash: str
    """SHA-256 in hex of the content that readers see: changes of markup, scripts and the like do not
    affect it."""
    content_type: Optional[str]
    """As the site sent it; null: it sent none."""
    cached: bool
    """Whether the page was stored by an earlier crawl or scan."""
    blocked: bool
    """Whether the site returned a challenge instead of the page, which costs nothing."""
    metadata: PageMetadata
    signals: Signals
    ai_bot_policy: Optional[Dict[str, Literal["allowed", "disallowed", "partial", "unspecified"]]]
    """Rules of robots.txt by bot. unspecified: no rule names the bot, so everything is allowed."""
    llms_txt: Optional[str]
    """The llms.txt of the site, up to 256 KiB (of a stored page 64 KiB); null: it has none, or it
    could not be read."""
    llms_full_txt: Optional[str]
    """The llms-full.txt of the site; null: it has none, or it could not be read."""


class BulkResult(Warned, _BulkResultRequired, total=False):
    """The page."""

    markdown: str
    """CommonMark with tables; links are kept and absolute."""
    article: str
    """The main text, with an empty line between paragraphs."""
    article_html: str
    """The article as clean HTML."""


class BulkScanItemsItemOk(TypedDict):
    url: str
    """The URL as sent, cut to 8,192 characters."""
    ok: Literal[True]
    """The page was read."""
    result: BulkResult


class BulkScanItemsItemNotOk(TypedDict):
    url: str
    """The URL as sent, cut to 8,192 characters."""
    ok: Literal[False]
    """The page was not read."""
    error: str
    """The error in one sentence."""
    reason: str
    """The error as a stable code."""


class BulkScan(Warned):
    items: List[Union[BulkScanItemsItemOk, BulkScanItemsItemNotOk]]
    """One per URL, in the order of the request."""


class DeletedScans(Warned):
    deleted: int
    """Number of deleted pages: one for each combination of user_agent and cloud_mode that the URL was
    scanned with; 0: none was stored."""


class _BatchRequestRequired(TypedDict):
    urls: List[str]
    """Up to 10,000 URLs. Each has its own result, even an invalid or repeated URL."""


class BatchRequest(_BatchRequestRequired, total=False):
    concurrency: int
    """Concurrent requests, from 1 to 32. Other values are set to the nearest bound. At most four to
    one host."""
    metadata_only: bool
    """Leave out markdown and article."""
    max_age_seconds: int
    """Use the newest page that a crawl or a scan of the project has stored if it is younger than this
    number of seconds. A page of a scan was requested by the same user_agent and cloud_mode."""
    user_agent: str
    """User-Agent of the request. Default: that of a browser."""
    webhook_url: str
    """Receiver of one signed `batch.done` when the batch is done. A cancelled batch sends none."""


class BatchCounts(TypedDict):
    """The URLs by result."""

    total: int
    """All URLs of the request. It is the sum of the other counts."""
    pending: int
    """URLs without a result."""
    ok: int
    """URLs whose page was read."""
    failed: int
    """URLs that could not be fetched. They cost nothing."""
    refused: int
    """URLs that were not requested: invalid, private or blocked ones, and those beyond a cap or 4 GiB
    of results. They cost nothing."""
    cancelled: int
    """URLs that had no result when the batch was cancelled."""


class Batch(Warned):
    id: int
    """The batch."""
    status: Literal["queued", "running", "done", "cancelled"]
    """done: every URL has a result. cancelled: a client ended it before."""
    counts: BatchCounts
    progress: float
    """Share of the URLs that are not pending."""
    created_at: str
    """Time of the request."""
    started_at: Optional[str]
    """Time at which the first URL was read; null: none yet."""
    finished_at: Optional[str]
    """Time of the end; null: it has not ended."""
    expires_at: Optional[str]
    """Time at which it is deleted with its results; null: it has not ended, or is kept."""
    webhook_url: Optional[str]
    """The receiver of the webhook; null: none."""


class BatchList(Warned):
    items: List[Batch]
    """Newest first."""
    next_offset: Optional[int]
    """Offset of the next part; null: this is the last part."""


class DeletedBatch(Warned):
    deleted: Literal[True]
    """Always true."""
    id: int
    """The deleted batch."""


class BatchResultsItemsItemOk(TypedDict):
    index: int
    """Position of the URL in the request, from 0."""
    url: str
    """The URL as sent, cut to 8,192 characters."""
    ok: Literal[True]
    """The page was read."""
    result: BulkResult


class BatchResultsItemsItemNotOk(TypedDict):
    index: int
    """Position of the URL in the request, from 0."""
    url: str
    """The URL as sent, cut to 8,192 characters."""
    ok: Literal[False]
    """The page was not read."""
    error: str
    """The error in one sentence."""
    reason: str
    """The error as a stable code."""


class BatchResults(Warned):
    items: List[Union[BatchResultsItemsItemOk, BatchResultsItemsItemNotOk]]
    """The results in the order of the request. While the batch runs, the list ends before the first
    URL without a result."""
    next_offset: Optional[int]
    """Offset of the next part; null: this is the last part."""
    status: Literal["queued", "running", "done", "cancelled"]
    """The status of the batch. While it runs, more results follow."""


class _MapRequestRequired(TypedDict):
    url: str
    """The home page of the site, or of a section of it; http:// or https://."""


class MapRequest(_MapRequestRequired, total=False):
    limit: int
    """Maximum number of URLs."""
    search: str
    """Only URLs with one of these words in path or title, best match first."""
    subdomains: bool
    """Include subdomains of the site's host."""
    include_sitemaps: bool
    """False: read only the links of the home page."""
    respect_robots: bool
    """Do not fetch a home page that robots.txt forbids. URLs in sitemaps are listed anyway."""


class _MapItemsItemRequired(TypedDict):
    url: str
    """The URL in normal form."""
    source: Literal["sitemap", "link"]
    """Source of the URL: a sitemap, or a link on the home page."""


class MapItemsItem(_MapItemsItemRequired, total=False):
    title: str
    """For the home page its title, otherwise the text of the link on it."""
    lastmod: str
    """As the sitemap states it."""


class MapSourcesRobots(TypedDict):
    """The response for robots.txt."""

    url: str
    """URL of robots.txt."""
    status: Optional[int]
    """HTTP status; null: no response."""
    error: Optional[str]
    """Reason why there was no response: dns, connect, tls, timeout …, or robots."""


class MapSourcesSitemapsItem(TypedDict):
    url: str
    """URL of the sitemap."""
    status: Optional[int]
    """HTTP status; null: no response."""
    urls: int
    """Number of URLs that it lists, of any site."""
    sitemaps: int
    """Number of further sitemaps that it lists."""
    cut: Optional[str]
    """The part that was not read, or the reason; null: all of it was read."""


class MapSourcesHomePage(TypedDict):
    """The response of the home page."""

    url: str
    """URL of the home page."""
    status: Optional[int]
    """HTTP status; null: no response."""
    links: int
    """Number of distinct links, to any site."""
    error: Optional[str]
    """Reason why there was no response: dns, connect, tls, timeout …, or robots."""


class MapSources(TypedDict):
    """The sources that were read or not, with the reason."""

    robots: MapSourcesRobots
    """The response for robots.txt."""
    sitemaps: List[MapSourcesSitemapsItem]
    """Every sitemap that was requested."""
    home_page: MapSourcesHomePage
    """The response of the home page."""


class Map(Warned):
    url: str
    """URL of the home page, after redirects."""
    items: List[MapItemsItem]
    """The URLs; with `search`, best match first."""
    total: int
    """Number of URLs that match, listed here or not."""
    truncated: bool
    """Whether there are, or may be, URLs that were not listed or not read."""
    sources: MapSources
    """The sources that were read or not, with the reason."""


class RobotsPolicyVerdict(TypedDict):
    """The verdict of robots.txt for this URL."""

    user_agent: str
    """The crawler that the verdict is for."""
    allowed: bool
    """Whether it may fetch the URL."""
    rule: Optional[str]
    """The pattern that decided, as written in robots.txt."""
    agent: Optional[str]
    """The group that decided: a product token, or * for all crawlers."""


class RobotsPolicy(Warned):
    url: str
    """The requested URL, without its fragment."""
    robots_txt: Optional[str]
    """Up to 500 KiB; null: the site has none."""
    llms_txt: Optional[str]
    """Up to 256 KiB; null: the site has none, or it could not be read."""
    ai_bot_policy: Dict[str, Literal["allowed", "disallowed", "partial", "unspecified"]]
    """Rules by bot. unspecified: no rule names the bot, so everything is allowed. disallowed also
    means that robots.txt returned a server error."""
    robots_status: int
    """HTTP status of robots.txt."""
    content_signals: Dict[str, Dict[str, Literal["yes", "no"]]]
    """Content-Signal lines of robots.txt, by user agent."""
    fetched_at: str
    """Time at which robots.txt was fetched."""
    verdict: RobotsPolicyVerdict
    """The verdict of robots.txt for this URL."""


class _CloudScrapeRequestRequired(TypedDict):
    url: str
    """A public URL; http:// or https://."""


class CloudScrapeRequest(_CloudScrapeRequestRequired, total=False):
    return_format: Literal["markdown", "raw", "text", "commonmark"]
    """The format of `content`. markdown: with tables; raw: the document unchanged; text: as a reader
    sees it; commonmark: without any extension."""
    chrome: bool
    """Run the scripts of the page in a browser, and read the result."""
    force_backend: Literal["auto", "local", "vendor", "proxy"]
    """auto tries the backends from the cheapest up until one returns the page without a challenge;
    local is this installation without proxies."""
    proxy_pool: Literal["datacenter", "isp", "residential", "mobile"]
    """The kind of proxies to use."""
    proxy_country: str
    """An ISO 3166-1 alpha-2 code: the country of the proxy."""
    actions: List[PageAction]
    """Actions in the browser after the page has loaded and before it is read, in order; at most 20.
    Each waits up to 10 s for its element. If one fails, the request is 502 `fetch_failed` with the
    reason `action_failed` and its position, and costs nothing. Values are never stored or logged.
    """


class _CloudPageRequired(TypedDict):
    content: str
    """The page in the requested format."""
    status: int
    """HTTP status of the target."""
    url: str
    """URL of the page, after all redirects."""
    backend: Literal["http", "faithful", "browser", "proxy", "vendor"]
    """The backend that fetched the page."""
    tried: List[CloudTry]
    """Every backend that was tried, in order."""
    blocked: bool
    """Whether the site returned a challenge to every backend, which costs nothing."""
    cost_usd: float
    """Cost in US dollars, beside cloud pages; 0: a backend of this installation."""
    elapsed_ms: float
    """Milliseconds from the request to this response."""


class CloudPage(Warned, _CloudPageRequired, total=False):
    bytes_transferred: int
    """Bytes transferred in both directions by the attempt that counts; absent: not measured."""
    pool: Literal["datacenter", "isp", "residential", "mobile"]
    """Kind of the proxy that fetched the page; absent: no proxy."""
    country: str
    """Country of that proxy; absent: it has none."""


class _CloudUnblockRequestRequired(TypedDict):
    url: str
    """A public URL; http:// or https://."""


class CloudUnblockRequest(_CloudUnblockRequestRequired, total=False):
    return_format: Literal["markdown", "text", "raw"]
    """The format of `content`. markdown: with tables; text: as a reader sees it; raw: the document
    unchanged."""
    country: str
    """An ISO 3166-1 alpha-2 code: the country of the proxy."""


class _CloudRenderRequestRequired(TypedDict):
    url: str
    """A public URL; http:// or https://."""


class CloudRenderRequest(_CloudRenderRequestRequired, total=False):
    return_format: Literal["raw", "markdown", "text", "png"]
    """The format of `content`. raw: the document unchanged; markdown: with tables; text: as a reader
    sees it; png: a screenshot of the page, of at most its first 20,000 pixels in height,
    base64-encoded."""
    wait_for: Literal["load", "domcontentloaded", "networkidle"]
    """The event that ends the loading of the page."""
    actions: List[PageAction]
    """Actions in the browser after the page has loaded and before it is read, in order; at most 20.
    Each waits up to 10 s for its element. If one fails, the request is 502 `fetch_failed` with the
    reason `action_failed` and its position, and costs nothing. Values are never stored or logged.
    """


class _CloudScreenshotRequestRequired(TypedDict):
    url: str
    """A public URL; http:// or https://."""


class CloudScreenshotRequest(_CloudScreenshotRequestRequired, total=False):
    wait_for: Literal["load", "domcontentloaded", "networkidle"]
    """The event that ends the loading of the page."""
    actions: List[PageAction]
    """Actions in the browser after the page has loaded and before it is read, in order; at most 20.
    Each waits up to 10 s for its element. If one fails, the request is 502 `fetch_failed` with the
    reason `action_failed` and its position, and costs nothing. Values are never stored or logged.
    """


class _CloudLinksRequestRequired(TypedDict):
    url: str
    """A public URL; http:// or https://."""


class CloudLinksRequest(_CloudLinksRequestRequired, total=False):
    limit: int
    """Maximum number of URLs."""


class _CloudLinksRequired(TypedDict):
    links: List[str]
    """Absolute and in normal form, without duplicates, in document order."""
    total: int
    """Number of links on the page, listed here or not."""
    status: int
    """HTTP status of the target."""
    url: str
    """URL of the page, after all redirects."""
    backend: Literal["http", "faithful", "browser", "proxy", "vendor"]
    """The backend that fetched the page."""
    tried: List[CloudTry]
    """Every backend that was tried, in order."""
    blocked: bool
    """Whether the site returned a challenge to every backend, which costs nothing."""
    cost_usd: float
    """Cost in US dollars, beside cloud pages; 0: a backend of this installation."""
    elapsed_ms: float
    """Milliseconds from the request to this response."""


class CloudLinks(Warned, _CloudLinksRequired, total=False):
    bytes_transferred: int
    """Bytes transferred in both directions by the attempt that counts; absent: not measured."""


class _CloudProxyFetchRequestRequired(TypedDict):
    url: str
    """A public URL; http:// or https://."""


class CloudProxyFetchRequest(_CloudProxyFetchRequestRequired, total=False):
    pool: Literal["datacenter", "isp", "residential", "mobile"]
    """The kind of proxies to use."""
    country: str
    """An ISO 3166-1 alpha-2 code: the country of the proxy."""


class CloudProxyFetched(Warned):
    status: int
    """HTTP status of the target."""
    url: str
    """URL of the page, after all redirects."""
    backend: Literal["http", "faithful", "browser", "proxy", "vendor"]
    """The backend that fetched the page."""
    tried: List[CloudTry]
    """Every backend that was tried, in order."""
    blocked: bool
    """Whether the site returned a challenge to every backend, which costs nothing."""
    bytes_transferred: Optional[int]
    """Bytes transferred in both directions; null: not measured."""
    content: str
    """The decoded body as served. No scripts were run."""
    pool: Literal["datacenter", "isp", "residential", "mobile"]
    """Kind of the proxy."""
    country: Optional[str]
    """Country of the proxy; null: none was requested."""
    cost_usd: float
    """Cost in US dollars, beside cloud pages; 0: a backend of this installation."""
    elapsed_ms: float
    """Milliseconds from the request to this response."""


class _CloudCrawlRequestRequired(TypedDict):
    url: str
    """A public URL; http:// or https://."""


class CloudCrawlRequest(_CloudCrawlRequestRequired, total=False):
    limit: int
    """Maximum number of pages."""
    return_format: Literal["markdown", "raw", "text", "commonmark"]
    """The format of `content`. markdown: with tables; raw: the document unchanged; text: as a reader
    sees it; commonmark: without any extension."""
    chrome: bool
    """Run the scripts of the page in a browser, and read the result."""


class CloudCrawlItemsItem(TypedDict):
    url: str
    """URL of the page, after all redirects."""
    content: str
    """The page in the requested format."""
    status: int
    """HTTP status of the target."""
    depth: int
    """Number of links between the first page and this page."""
    backend: Literal["http", "faithful", "browser", "proxy", "vendor"]
    """The backend that fetched the page."""
    blocked: bool
    """Whether the site returned a challenge to every backend, which costs nothing."""


class CloudCrawlFailedItem(TypedDict):
    url: str
    """The URL in normal form."""
    reason: str
    """Reason, such as robots, out_of_scope, dns, connect, tls or timeout."""


class CloudCrawl(Warned):
    items: List[CloudCrawlItemsItem]
    """The pages, those with the fewest clicks from the first page first."""
    failed: List[CloudCrawlFailedItem]
    """Up to 100 URLs that were found and could not, or must not, be fetched. They cost nothing."""
    cost_usd: float
    """Cost in US dollars, beside cloud pages; 0: a backend of this installation."""
    elapsed_ms: float
    """Milliseconds from the request to this response."""


class _CloudSearchRequestRequired(TypedDict):
    query: str
    """The query, in the syntax of the search engine."""


class CloudSearchRequest(_CloudSearchRequestRequired, total=False):
    limit: int
    """Maximum number of results."""
    return_format: Literal["markdown", "raw", "text", "commonmark"]
    """The format of `content`. markdown: with tables; raw: the document unchanged; text: as a reader
    sees it; commonmark: without any extension."""


class CloudSearchResultsItem(TypedDict):
    url: str
    """As the search engine states it."""
    title: str
    """As the search engine states it."""
    content: str
    """The page; if it could not be fetched, the snippet of the search engine, with a warning."""


class CloudSearch(Warned):
    results: List[CloudSearchResultsItem]
    """Best first. Each costs one cloud page."""
    cost_usd: float
    """Cost in US dollars, beside cloud pages; 0: a backend of this installation."""
    elapsed_ms: float
    """Milliseconds from the request to this response."""


class _CloudTransformRequestRequired(TypedDict):
    data: str
    """The document: HTML as text, PDF base64-encoded."""


class CloudTransformRequest(_CloudTransformRequestRequired, total=False):
    input_kind: Literal["html", "pdf_base64"]
    """The format of `data`. PDF is rejected with 422 if the installation does not support it."""
    return_format: Literal["markdown", "text", "raw"]
    """The format of `content`. markdown: with tables; text: as a reader sees it; raw: the document
    unchanged."""
    readability: bool
    """The main content only."""


class CloudDocument(Warned):
    content: str
    """The document in the requested format."""
    status: int
    """Always 200, as nothing is fetched."""
    return_format: str
    """The format of `content`."""
    engine: str
    """The engine that converted the document."""
    cost_usd: float
    """Cost in US dollars, beside cloud pages; 0: a backend of this installation."""
    elapsed_ms: float
    """Milliseconds from the request to this response."""


class CloudScraperListScrapersItem(TypedDict):
    domain: str
    """The domain to use in the request."""
    paths: List[str]
    """Patterns of the paths that the scraper reads."""
    data_shape: Dict[str, str]
    """The fields of each entry of `data`, with their types."""


class CloudScraperList(Warned):
    scrapers: List[CloudScraperListScrapersItem]
    """Ordered by domain."""
    total: int
    """Number of scrapers of this installation."""


class CloudFetchRequest(TypedDict, total=False):
    params: Dict[str, Any]
    """Parameters beside the path. Each scraper documents its own."""


class _CloudDataRequired(TypedDict):
    data: List[Dict[str, Any]]
    """The entries of the page, with the fields of `data_shape`."""
    status: int
    """HTTP status of the target."""
    url: str
    """URL of the page, after all redirects."""
    backend: Literal["http", "faithful", "browser", "proxy", "vendor"]
    """The backend that fetched the page."""
    tried: List[CloudTry]
    """Every backend that was tried, in order."""
    blocked: bool
    """Whether the site returned a challenge to every backend, which costs nothing."""
    cost_usd: float
    """Cost in US dollars, beside cloud pages; 0: a backend of this installation."""
    elapsed_ms: float
    """Milliseconds from the request to this response."""


class CloudData(Warned, _CloudDataRequired, total=False):
    bytes_transferred: int
    """Bytes transferred in both directions by the attempt that counts; absent: not measured."""


class CloudBalance(Warned):
    balance_usd: Optional[float]
    """In US dollars; 0: no vendor; null: the vendor does not state it."""
    currency: Literal["USD"]
    """Always this value."""
    configured: bool
    """Whether there is a vendor with a balance."""


class CloudEngine(TypedDict):
    """An engine for `POST /v1/cloud/search`."""

    configured: bool
    """Whether this installation has it configured."""
    setting: Optional[str]
    """The setting that configures it; null: no setting is needed."""


class CloudHealthLast24h(TypedDict):
    """Usage of the project in the last 24 hours."""

    cloud_pages: int
    """Cloud pages that were billed."""
    cloud_cost_usd: float
    """Their cost in US dollars."""


class CloudHealthBackends(TypedDict):
    """The configured backends."""

    browser: bool
    """A browser of this installation."""
    faithful: bool
    """A client with the TLS fingerprint of a browser."""
    proxy_pools: List[str]
    """Proxy pools, each with its countries."""
    vendor: bool
    """A vendor's network of browsers and proxies."""
    search: bool
    """An engine for `POST /v1/cloud/search`."""


class CloudHealthEngines(TypedDict):
    """The same for each engine, with the setting that it needs."""

    faithful: CloudEngine
    browser: CloudEngine
    proxy: CloudEngine
    vendor: CloudEngine
    search: CloudEngine


class CloudHealth(Warned):
    configured: bool
    """Whether a browser, a proxy pool or a vendor is configured. The client with the TLS fingerprint
    of a browser needs no setting, and does not count."""
    balance_usd: Optional[float]
    """In US dollars; 0: no vendor; null: the vendor does not state it."""
    last_24h: CloudHealthLast24h
    """Usage of the project in the last 24 hours."""
    backends: CloudHealthBackends
    """The configured backends."""
    engines: CloudHealthEngines
    """The same for each engine, with the setting that it needs."""


class StructuredDataRequest(TypedDict):
    url: str
    """A public URL; http:// or https://."""


_StructuredDataAnswerDataCountsRequiredKeys = TypedDict(
    "_StructuredDataAnswerDataCountsRequiredKeys",
    {
        "json-ld": "int",
    },
)


class StructuredDataAnswerDataCounts(_StructuredDataAnswerDataCountsRequiredKeys):
    """Number of objects in each syntax."""

    microdata: int
    """Microdata items in the JSON form of the WHATWG HTML standard, 5.5.1."""
    rdfa: int
    """Nodes as expanded JSON-LD."""
    opengraph: int
    """Properties by full names such as og:title. The page is one object."""
    dublincore: int
    """Terms by names such as dc.title. The page is one object."""
    microformat: int
    """Items in the form of microformats2 parsers."""


_StructuredDataAnswerDataDataRequiredKeys = TypedDict(
    "_StructuredDataAnswerDataDataRequiredKeys",
    {
        "json-ld": "List[Dict[str, Any]]",
    },
)


class StructuredDataAnswerDataData(_StructuredDataAnswerDataDataRequiredKeys):
    """The objects, by syntax."""

    microdata: List[Dict[str, Any]]
    """Microdata items in the JSON form of the WHATWG HTML standard, 5.5.1."""
    rdfa: List[Dict[str, Any]]
    """Nodes as expanded JSON-LD."""
    opengraph: List[Dict[str, Any]]
    """Properties by full names such as og:title. The page is one object."""
    dublincore: List[Dict[str, Any]]
    """Terms by names such as dc.title. The page is one object."""
    microformat: List[Dict[str, Any]]
    """Items in the form of microformats2 parsers."""


class StructuredDataAnswerDataErrorsItem(TypedDict):
    syntax: str
    """The syntax with the error."""
    reason: str
    """The error of the block, or the part of it that was left out, as a stable code."""
    block: Optional[int]
    """Number of the JSON-LD block, counted from 0."""
    position: Optional[int]
    """UTF-16 units from the start of that block."""


class StructuredDataAnswerData(TypedDict):
    """The result of the actor."""

    counts: StructuredDataAnswerDataCounts
    """Number of objects in each syntax."""
    data: StructuredDataAnswerDataData
    """The objects, by syntax."""
    errors: List[StructuredDataAnswerDataErrorsItem]
    """Errors in the data, and parts beyond a limit."""


class _StructuredDataAnswerRequired(TypedDict):
    actor: Literal["structured-data"]
    """Name of the actor."""
    url: str
    """The requested URL."""
    elapsed_ms: int
    """Milliseconds from the request to this response."""
    data: StructuredDataAnswerData
    """The result of the actor."""


class StructuredDataAnswer(Warned, _StructuredDataAnswerRequired, total=False):
    final_url: str
    """URL of the page, after all redirects."""
    status_code: int
    """HTTP status of the page."""


class AuditOnpageRequest(TypedDict):
    url: str
    """A public URL; http:// or https://."""


class AuditOnpageAnswerDataSummary(TypedDict):
    """Number of findings by severity."""

    errors: int
    """Number of errors."""
    warnings: int
    """Number of warnings."""
    info: int
    """Number of notices."""


class _AuditOnpageAnswerDataFindingsItemRequired(TypedDict):
    rule: str
    """Id of the rule: `area/name`. Ids never change; docs/audit-rules.md lists all of them."""
    severity: Literal["error", "warning", "info"]
    """`error`: broken, or hidden from people or search engines. `warning`: probably a loss. `info`:
    worth knowing."""
    message: str
    """The problem and the remedy."""
    samples: List[str]
    """The first occurrences as written in the page, each cut to 160 characters."""


class AuditOnpageAnswerDataFindingsItem(_AuditOnpageAnswerDataFindingsItemRequired, total=False):
    count: int
    """Number of occurrences, for rules that can match several times."""


class AuditOnpageAnswerDataStats(TypedDict):
    """Counts of the page; all 0 if it is not HTML."""

    word_count: int
    """Number of words of the visible text."""
    link_count: int
    """Number of links to other URLs."""
    image_count: int
    """Number of `<img>` elements."""
    heading_count: int
    """Number of elements `<h1>` to `<h6>`."""
    html_bytes: int
    """Bytes of the HTML, uncompressed."""
    text_bytes: int
    """Bytes of the visible text in UTF-8, white space collapsed."""
    content_ratio: float
    """text_bytes of html_bytes, as a fraction."""
    has_json_ld: bool
    """Whether there is JSON-LD that can be parsed."""


class AuditOnpageAnswerData(TypedDict):
    """The result of the actor."""

    summary: AuditOnpageAnswerDataSummary
    """Number of findings by severity."""
    findings: List[AuditOnpageAnswerDataFindingsItem]
    """At most one per rule, errors first."""
    stats: AuditOnpageAnswerDataStats
    """Counts of the page; all 0 if it is not HTML."""


class _AuditOnpageAnswerRequired(TypedDict):
    actor: Literal["audit-onpage"]
    """Name of the actor."""
    url: str
    """The requested URL."""
    elapsed_ms: int
    """Milliseconds from the request to this response."""
    data: AuditOnpageAnswerData
    """The result of the actor."""


class AuditOnpageAnswer(Warned, _AuditOnpageAnswerRequired, total=False):
    final_url: str
    """URL of the page, after all redirects."""
    status_code: int
    """HTTP status of the page."""


class _ExtractArticleRequestRequired(TypedDict):
    url: str
    """A public URL; http:// or https://."""


class ExtractArticleRequest(_ExtractArticleRequestRequired, total=False):
    format: Literal["markdown", "text"]
    """The format of `content`. markdown: with absolute links and images; text: with an empty line
    between paragraphs."""
    include_comments: bool
    """Add the comments of readers, separate from the article."""
    wpm: int
    """Reading speed in words per minute. Default: 230."""


class ExtractArticleAnswerDataMetadata(TypedDict):
    """Metadata of the article."""

    title: Optional[str]
    """Title of the article, without the name of its site; null: not stated."""
    byline: Optional[str]
    """Names of its authors, separated by commas; null: not stated."""
    site_name: Optional[str]
    """The name of its site; null: not stated."""
    published: Optional[str]
    """Day (2026-01-02), or RFC 3339 if the page states the time; null: not stated."""
    modified: Optional[str]
    """The same for its last modification, if the page states it."""
    lang: Optional[str]
    """Its language (BCP 47) as stated, otherwise guessed from its words; null: unknown."""
    description: Optional[str]
    """Content of the description meta element; null: absent."""
    excerpt: Optional[str]
    """The description that the page states, otherwise the beginning of the text; null: no text."""
    image: Optional[str]
    """The image for link previews, otherwise the first image of the text; absolute, null: none."""
    canonical: Optional[str]
    """The canonical link, absolute; null: absent."""
    page_kind: Optional[Literal["article", "forum", "listing"]]
    """The detected type of the page. All posts of a forum are content, and the texts of all items of
    a listing; null: not HTML."""
    confidence: float
    """Confidence from 0, a guess, to 1: the agreement of the signs of an article."""


class ExtractArticleAnswerData(TypedDict):
    """The result of the actor."""

    format: Literal["markdown", "text"]
    """The format of `content`."""
    content: str
    """The article alone. Without an article: the visible text of the page, or the text of a text
    document. Empty: no text."""
    word_count: int
    """Number of words of the content. In scripts without spaces, two characters (Chinese, Japanese)
    or four (Thai and others) count as a word."""
    reading_time_seconds: int
    """Whole seconds to read the content at `wpm`, rounded up."""
    wpm: int
    """Words per minute used for the reading time."""
    metadata: ExtractArticleAnswerDataMetadata
    """Metadata of the article."""
    comments: Optional[str]
    """Comments of readers as text, with an empty line between paragraphs; empty: no comments. Null
    unless `include_comments` is true."""


class _ExtractArticleAnswerRequired(TypedDict):
    actor: Literal["extract-article"]
    """Name of the actor."""
    url: str
    """The requested URL."""
    elapsed_ms: int
    """Milliseconds from the request to this response."""
    data: ExtractArticleAnswerData
    """The result of the actor."""


class ExtractArticleAnswer(Warned, _ExtractArticleAnswerRequired, total=False):
    final_url: str
    """URL of the page, after all redirects."""
    status_code: int
    """HTTP status of the page."""


class RenderDiffRequest(TypedDict):
    url: str
    """A public URL; http:// or https://."""


class RenderDiffSide(TypedDict):
    """One version of the page. `static`: as served; `rendered`: after its scripts have run."""

    word_count: int
    """Words of its text, as the signals of a scan count them."""
    link_count: int
    """Links to other pages, duplicates included."""
    heading_count: int
    """Headings of all six levels that are shown and have text."""
    json_ld_count: int
    """Number of JSON-LD objects."""
    html_bytes: int
    """Bytes of the document, uncompressed."""
    text_chars: int
    """Number of letters and digits of its visible text."""
    final_url: str
    """URL of the page, after all redirects."""
    status_code: int
    """HTTP status of the response."""


class RenderDiffAnswerDataDeltaCountsOnlyAfterRender(TypedDict):
    """Number of each, including those not listed."""

    links: int
    """Number of distinct targets."""
    headings: int
    """Number of distinct texts."""
    json_ld: int
    """Number of distinct objects."""


class RenderDiffAnswerDataDelta(TypedDict):
    """The parts of the rendered page that the static page lacks."""

    links_only_after_render: List[str]
    """Targets of links that only scripts add. The first 25."""
    headings_only_after_render: List[str]
    """Texts of headings that only scripts add. The first 25."""
    json_ld_only_after_render: List[str]
    """Types of JSON-LD objects that only scripts add, such as Product; (none): an object without a
    type. The first 25."""
    counts_only_after_render: RenderDiffAnswerDataDeltaCountsOnlyAfterRender
    """Number of each, including those not listed."""
    text_chars_only_after_render: int
    """Number of letters and digits of rendered words that the static text lacks. It has a word if the
    word has the same neighbours there: two of them in a row or, in a block of fewer than three
    words, the whole block. Text that only moved or is repeated is therefore not counted, nor is
    text that the static page contains but hides."""
    ai_bot_blind_pct: float
    """text_chars_only_after_render in percent of text_chars of the rendered page, to a tenth: the
    share that is invisible to bots that run no scripts. 0 if it has no text."""
    assessment: Literal["none", "partial", "severe"]
    """none: less than 5 % blind; partial: 5 to 40 %; severe: more."""


class RenderDiffAnswerData(TypedDict):
    """The result of the actor."""

    static: RenderDiffSide
    rendered: RenderDiffSide
    delta: RenderDiffAnswerDataDelta
    """The parts of the rendered page that the static page lacks."""
    rendered_cost_usd: float
    """Cost of the browser in US dollars; 0: a browser of this installation."""


class _RenderDiffAnswerRequired(TypedDict):
    actor: Literal["render-diff"]
    """Name of the actor."""
    url: str
    """The requested URL."""
    elapsed_ms: int
    """Milliseconds from the request to this response."""
    data: RenderDiffAnswerData
    """The result of the actor."""


class RenderDiffAnswer(Warned, _RenderDiffAnswerRequired, total=False):
    final_url: str
    """URL of the page, after all redirects."""
    status_code: int
    """HTTP status of the page."""


class CheckLinksRequest(TypedDict, total=False):
    url: str
    """A page whose links are checked, up to 1000 of them."""
    urls: List[str]
    """Up to 200 links to check, instead of url. Duplicates are checked once."""
    cloud_retry: bool
    """Retry links that block this service with a cloud backend, at most 50. Costs one cloud page per
    URL retried by a cloud backend."""
    cloud_retry_mode: Literal["chrome", "proxy"]
    """Retry with a browser or a proxy."""
    proxy_pool: Literal["datacenter", "isp", "residential", "mobile"]
    """Kind of the proxy for cloud_retry_mode proxy. Default: residential."""
    max_concurrent: int
    """Concurrent requests, from 1 to 64. Other values are set to the nearest bound. At most four to
    one host."""


class CheckLinksAnswerDataItemsItemRedirectsItem(TypedDict):
    url: str
    """The URL that redirects, cut to 1,024 characters."""
    status: int
    """HTTP status of the redirect."""


class _CheckLinksAnswerDataItemsItemRequired(TypedDict):
    url: str
    """The link. Entries of urls are as sent, cut to 8,192 characters."""
    status_code: Optional[int]
    """HTTP status after all redirects; null: no response."""
    status: Literal["ok", "broken", "excluded"]
    """excluded: unknown whether it is broken, because it was not requested, or its site blocked the
    request. LINKCHECK_BLOCKED can count blocked links as broken."""
    recovered_via_cloud: bool
    """Whether the site blocked the request and a cloud backend fetched the link."""
    error: Optional[str]
    """The reason why it is not ok, in one sentence."""
    reason: Optional[Literal["not_found", "gone", "client_error", "server_error", "dns", "connect", "tls", "timeout", "protocol", "too_large", "too_many_redirects", "bad_redirect", "fragment_not_found", "bad_url", "blocked", "scheme", "robots", "private_address", "blocked_domain", "unsupported_url", "throttled", "page_cap", "not_asked"]]
    """Why it is not ok. not_found: it responds with 404; gone: it responds with 410; client_error: it
    responds with another status from 400 to 499; server_error: it responds with a status from 500
    to 599, twice; dns: the name of its host does not resolve; connect: the connection failed; tls:
    the TLS handshake failed; timeout: it did not respond in time, twice; protocol: its response is
    not valid HTTP, or is incomplete; too_large: its response exceeds the size limit;
    too_many_redirects: its redirects form a loop, or there are more than ten; bad_redirect: its
    redirect has no valid http(s) URL; fragment_not_found: no element of the page has the name of
    the fragment; bad_url: it is not a valid URL; blocked: the site rejects the crawler, with 401,
    403, 407, 429, 451, 999 or a challenge for bots; scheme: its scheme belongs to another program
    than a browser, such as mailto:; robots: robots.txt disallows it; private_address: it leads to
    an address that is not on the public internet; blocked_domain: its host is on the blocklist;
    unsupported_url: it has a user and password, or a port to which no requests are sent; throttled:
    its host requested a longer pause than a check waits; page_cap: the project has no pages left;
    not_asked: it was not requested in time, or four other links of its host timed out."""


class CheckLinksAnswerDataItemsItem(_CheckLinksAnswerDataItemsItemRequired, total=False):
    kind: Literal["link", "image", "script", "stylesheet"]
    """The element with which the page first links to it."""
    redirected_to: str
    """URL after all redirects; absent: no redirect."""
    redirects: List[CheckLinksAnswerDataItemsItemRedirectsItem]
    """In order; absent: no redirect."""
    anchor: Literal["ok", "missing"]
    """Whether the page has an element for the fragment; absent: not checked."""


class CheckLinksAnswerData(TypedDict):
    """The result of the actor."""

    source_url: Optional[str]
    """The page that contains the links; null: the request sent a list."""
    total: int
    """Number of items."""
    ok: int
    """Number of items that are ok."""
    broken: int
    """Number of items that are broken."""
    excluded: int
    """Number of items that are excluded."""
    cloud_retried: int
    """Number of links that a cloud backend retried."""
    cloud_recovered: int
    """Number of retried links that the cloud backend could fetch."""
    cloud_cost_usd: float
    """Cost of the retries in US dollars, beside cloud pages."""
    items: List[CheckLinksAnswerDataItemsItem]
    """Each link once, in the order of the page or the list."""


class _CheckLinksAnswerRequired(TypedDict):
    actor: Literal["check-links"]
    """Name of the actor."""
    url: str
    """The requested URL."""
    elapsed_ms: int
    """Milliseconds from the request to this response."""
    data: CheckLinksAnswerData
    """The result of the actor."""


class CheckLinksAnswer(Warned, _CheckLinksAnswerRequired, total=False):
    final_url: str
    """URL of the page, after all redirects."""
    status_code: int
    """HTTP status of the page."""


class _SitemapAuditRequestRequired(TypedDict):
    url: str
    """A public URL; http:// or https://."""


class SitemapAuditRequest(_SitemapAuditRequestRequired, total=False):
    max_urls: int
    """Maximum number of pages to probe, in the order of the sitemaps."""
    dry_run: bool
    """Read the sitemaps and count their pages without probing any. Nothing is billed."""


class SitemapAuditAnswerDataSummary(TypedDict):
    """Pages that were probed or rejected, by bucket."""

    ok: int
    """Pages with status 2xx that may be indexed and are their own canonical."""
    redirect: int
    """Pages with status 3xx."""
    client_error: int
    """Pages with status 4xx or with an undefined status."""
    server_error: int
    """Pages with status 5xx."""
    noindex: int
    """Pages that robots meta or X-Robots-Tag excludes from an index, including by an
    unavailable_after that has passed."""
    canonicalised_away: int
    """Pages whose canonical is another URL."""
    network_error: int
    """Pages without a readable response, and pages that must not be requested."""


class SitemapAuditAnswerDataItemsItem(TypedDict):
    url: str
    """The URL in the sitemap, absolute and without its fragment."""
    status_code: Optional[int]
    """HTTP status without following redirects; null: no response."""
    bucket: Literal["network_error", "server_error", "client_error", "redirect", "noindex", "canonicalised_away", "ok"]
    """The gravest fault of the page; `ok`: no fault."""
    canonical: Optional[str]
    """Canonical in normal form, from the head or the Link header; null: none is stated or valid."""
    x_robots_tag: Optional[str]
    """The X-Robots-Tag header, unchanged."""
    meta_robots: Optional[str]
    """Directives of the robots metas in lower case: general ones first, then by bot name, as in
    `googlebot: noindex`."""
    lastmod: Optional[str]
    """Last modification of the page, as stated by the sitemap."""
    error: Optional[str]
    """Reason of a network_error: private_address, blocked_domain, bad_url, dns, connect, tls,
    timeout, protocol …"""
    redirected_to: Optional[str]
    """Target of the redirect; null: no redirect, or no valid target."""
    found_in: str
    """The first sitemap that lists it."""
    challenge: Optional[str]
    """Vendor of the challenge that replaced the page."""


class _SitemapAuditAnswerDataSitemapsItemRequired(TypedDict):
    url: str
    """The URL as listed."""
    status: Optional[int]
    """HTTP status; null: no response."""
    urls: int
    """Number of pages that it lists, duplicates included."""
    repeated: int
    """Number of entries that repeat a page listed before. Each page is probed once."""
    images: int
    """Number of images that it lists beside its pages."""
    videos: int
    """Number of videos that it lists beside its pages."""
    alternates: int
    """Number of versions of its pages in other languages (hreflang)."""
    sitemaps: int
    """Number of further sitemaps that it lists."""
    unusable: int
    """Number of entries that are not a URL which can be fetched. They are not probed."""
    error: Optional[str]
    """Reason why it was not read, or only in part: http_status, not_a_sitemap, broken_encoding,
    incomplete, index_in_index, other_site, too_many, dns, connect, timeout …"""
    message: Optional[str]
    """The reason in words."""


class SitemapAuditAnswerDataSitemapsItem(_SitemapAuditAnswerDataSitemapsItemRequired, total=False):
    final_url: str
    """The URL after redirects, if it differs."""


class SitemapAuditAnswerDataLastmodProblems(TypedDict):
    """Invalid modification dates, over all sitemaps."""

    future: int
    """Dates in the future."""
    unreadable: int
    """Values that are not a date of the W3C profile of ISO 8601."""


class SitemapAuditAnswerData(TypedDict):
    """The result of the actor."""

    sitemaps_found: List[str]
    """URLs of the sitemaps that could be read, in the order of their discovery."""
    total_urls_in_sitemap: int
    """Number of pages in all sitemaps, duplicates included."""
    total_urls_probed: int
    """Number of pages that were requested, each once."""
    total_urls_refused: int
    """Number of pages that were not requested: they must not be (private_address, blocked_domain,
    bad_url), or this service failed (internal). They are listed, and cost nothing."""
    pages_billed: int
    """Number of billed pages. It equals the number of probed pages."""
    summary: SitemapAuditAnswerDataSummary
    """Pages that were probed or rejected, by bucket."""
    items: List[SitemapAuditAnswerDataItemsItem]
    """Every page that was probed or rejected."""
    sitemaps: List[SitemapAuditAnswerDataSitemapsItem]
    """Every sitemap that is listed."""
    lastmod_problems: SitemapAuditAnswerDataLastmodProblems
    """Invalid modification dates, over all sitemaps."""


class _SitemapAuditAnswerRequired(TypedDict):
    actor: Literal["sitemap-audit"]
    """Name of the actor."""
    url: str
    """The requested URL."""
    elapsed_ms: int
    """Milliseconds from the request to this response."""
    data: SitemapAuditAnswerData
    """The result of the actor."""


class SitemapAuditAnswer(Warned, _SitemapAuditAnswerRequired, total=False):
    final_url: str
    """URL of the page, after all redirects."""
    status_code: int
    """HTTP status of the page."""


class _LinkGraphRequestRequired(TypedDict):
    crawl_id: int
    """A crawl of this project."""


class LinkGraphRequest(_LinkGraphRequestRequired, total=False):
    top_n: int
    """Maximum number of entries in each list."""


class LinkGraphAnswerDataPagerankItem(TypedDict):
    url: str
    """URL of the page."""
    score: float
    """PageRank with damping 0.85. The ranks of all pages add up to 1."""


class LinkGraphAnswerDataTopDonorsItem(TypedDict):
    url: str
    """URL of the page."""
    edges: int
    """Number of other pages that it links to by followed links."""


class LinkGraphAnswerDataTopRecipientsItem(TypedDict):
    url: str
    """URL of the page."""
    edges: int
    """Number of other pages that link to it by followed links."""


class LinkGraphAnswerDataAnchorTextByTargetItemAnchorsItem(TypedDict):
    text: str
    """Text of the link; empty: it has none."""
    count: int
    """Number of links from other pages with that text."""


class LinkGraphAnswerDataAnchorTextByTargetItem(TypedDict):
    url: str
    """URL of the page."""
    anchors: List[LinkGraphAnswerDataAnchorTextByTargetItemAnchorsItem]
    """Up to 20 texts, the most frequent first, then by text."""


class LinkGraphAnswerDataOrphanClustersItem(TypedDict):
    size: int
    """Number of pages in the cluster."""
    urls: List[str]
    """Its first pages by URL: up to 100, and up to 2,000 of all clusters together."""


class LinkGraphAnswerDataStats(TypedDict):
    """Totals of the graph and of the computation."""

    pages: int
    """Number of pages that were analysed, whatever their status; at most 100,000."""
    edges: int
    """Number of pairs of pages in which the first links to the second by a followed link."""
    components: int
    """Number of parts that no edge and no canonical URL connects, in either direction."""
    iterations: int
    """Number of iterations."""
    converged: bool
    """Whether the last iteration changed all ranks together by less than 1e-12."""
    orphan_clusters: int
    """Number of clusters, of which orphan_clusters lists the largest."""
    orphan_pages: int
    """Number of pages in all clusters."""


class LinkGraphAnswerData(TypedDict):
    """The result of the actor."""

    pagerank: List[LinkGraphAnswerDataPagerankItem]
    """Highest first, then by URL. A page passes the same share to each other page that it links to,
    however many links there are. Links with nofollow, and links of a page whose robots meta or
    X-Robots-Tag states nofollow, pass nothing. A page that is linked to only in this way still
    counts as linked to, and its share is spread over all pages, like the rank of pages without
    links. A page whose canonical URL is another page of the crawl passes its whole rank to that
    page."""
    top_donors: List[LinkGraphAnswerDataTopDonorsItem]
    """Highest count first, then by URL. Pages with a count of 0 are left out."""
    top_recipients: List[LinkGraphAnswerDataTopRecipientsItem]
    """Highest count first, then by URL. Pages with a count of 0 are left out. A link to a URL that
    redirected counts for its target."""
    anchor_text_by_target: List[LinkGraphAnswerDataAnchorTextByTargetItem]
    """The link texts to the pages with the most incoming links, in their order."""
    orphan_clusters: List[LinkGraphAnswerDataOrphanClustersItem]
    """Pages that cannot be reached from the first page of the crawl (or from the root of its host, if
    the seed is not a page) by followed links, redirects and canonical URLs. Pages that these
    connect form a cluster. Largest first, then by URL."""
    stats: LinkGraphAnswerDataStats
    """Totals of the graph and of the computation."""


class _LinkGraphAnswerRequired(TypedDict):
    actor: Literal["internal-link-graph"]
    """Name of the actor."""
    url: str
    """The requested URL."""
    elapsed_ms: int
    """Milliseconds from the request to this response."""
    data: LinkGraphAnswerData
    """The result of the actor."""


class LinkGraphAnswer(Warned, _LinkGraphAnswerRequired, total=False):
    final_url: str
    """URL of the page, after all redirects."""
    status_code: int
    """HTTP status of the page."""


class _AuditSiteRequestRequired(TypedDict):
    crawl_id: int
    """A crawl of this project."""


class AuditSiteRequest(_AuditSiteRequestRequired, total=False):
    against: int
    """An earlier crawl of this project. Its stored pages are audited too, and the findings of both
    are compared."""
    examples: int
    """Maximum number of examples of each rule."""
    format: Literal["json", "ndjson", "csv"]
    """The format of the list: json by default, unless the Accept header prefers application/x-ndjson
    or text/csv."""


class AuditSiteAnswerDataSummary(TypedDict):
    """Number of pages and findings."""

    pages: int
    """Number of pages of the crawl that were read, at most 100,000."""
    audited: int
    """Number of audited pages."""
    not_audited: Dict[str, int]
    """Number of other pages by reason: blocked (a challenge), not_stored, too_large, undecodable,
    timeout, time_limit."""
    findings: int
    """Number of findings: pairs of a page and a rule."""
    errors: int
    """Number of errors."""
    warnings: int
    """Number of warnings."""
    info: int
    """Number of notices."""
    new: Optional[int]
    """Number of new findings; null without `against`."""
    same: Optional[int]
    """Number of findings in both crawls; null without `against`."""
    gone: Optional[int]
    """Number of findings of the earlier crawl only; null without `against`."""
    gone_with_page: Optional[int]
    """Number of gone findings whose page this crawl does not have; null without `against`."""
    not_compared: Optional[int]
    """Number of findings of one crawl that were not compared, because the audit of the other does not
    cover the page or the rule; null without `against`."""


class AuditSiteAnswerDataRulesItemSource(TypedDict):
    """The source of the rule."""

    name: str
    """The document that supports the rule."""
    url: str
    """Its address."""


class _AuditSiteAnswerDataRulesItemExamplesItemRequired(TypedDict):
    url: str
    """URL of the page."""
    page_id: int
    """The page."""
    message: str
    """The problem and the remedy, as audit-onpage states them."""
    samples: List[str]
    """For a rule of a page: the first occurrences. For a rule of the site: other URLs of the finding.
    """
    pagerank: Optional[float]
    """PageRank of the page, as in internal-link-graph; null for a page of the earlier crawl."""
    change: Optional[Literal["new", "same", "gone"]]
    """The comparison with the crawl in `against`; null: not compared, because `against` is missing,
    has no complete audit of the page, or the rule does not apply to it."""


class AuditSiteAnswerDataRulesItemExamplesItem(_AuditSiteAnswerDataRulesItemExamplesItemRequired, total=False):
    count: int
    """Number of occurrences on the page, for rules that can match several times."""


class AuditSiteAnswerDataRulesItem(TypedDict):
    rule: str
    """Id of the rule: `area/name`. Ids never change; docs/audit-rules.md lists all of them."""
    severity: Literal["error", "warning", "info"]
    """`error`: broken, or hidden from people or search engines. `warning`: probably a loss. `info`:
    worth knowing."""
    finds: str
    """The problem, with its thresholds."""
    reason: str
    """Why it matters."""
    remedy: str
    """The remedy. For a rule of a page: the message of the first example."""
    source: AuditSiteAnswerDataRulesItemSource
    """The source of the rule."""
    count: int
    """Number of pages with the finding."""
    share: float
    """count of the audited pages, as a fraction."""
    occurrences: int
    """Sum of the occurrences on all pages."""
    new: Optional[int]
    """Pages with a finding that they did not have in the earlier crawl, or that the earlier crawl did
    not contain; null without `against`."""
    same: Optional[int]
    """Pages with the finding in both crawls; null without `against`."""
    gone: Optional[int]
    """Pages of the earlier crawl with a finding that this crawl does not have; null without
    `against`."""
    examples: List[AuditSiteAnswerDataRulesItemExamplesItem]
    """New findings first, then in the order of the page ids."""


class AuditSiteAnswerDataNotAppliedItem(TypedDict):
    rule: str
    """Id of the rule: `area/name`. Ids never change; docs/audit-rules.md lists all of them."""
    because: str
    """The reason, such as data that a crawl does not store."""


class AuditSiteAnswerData(TypedDict):
    """The result of the actor."""

    crawl_id: int
    """The audited crawl."""
    against: Optional[int]
    """The earlier crawl; null: none."""
    summary: AuditSiteAnswerDataSummary
    """Number of pages and findings."""
    rules: List[AuditSiteAnswerDataRulesItem]
    """The rules with a finding in either crawl: errors first, then by the number of pages."""
    not_applied: List[AuditSiteAnswerDataNotAppliedItem]
    """Rules of audit-onpage, and of the site, that do not apply to this crawl."""


class _AuditSiteAnswerRequired(TypedDict):
    actor: Literal["audit-site"]
    """Name of the actor."""
    url: str
    """The requested URL."""
    elapsed_ms: int
    """Milliseconds from the request to this response."""
    data: AuditSiteAnswerData
    """The result of the actor."""


class AuditSiteAnswer(Warned, _AuditSiteAnswerRequired, total=False):
    final_url: str
    """URL of the page, after all redirects."""
    status_code: int
    """HTTP status of the page."""


class CrawlShareRequest(TypedDict, total=False):
    expires_in_hours: int
    """Hours until the address ends."""


class CrawlShare(Warned):
    url: str
    """The address. It opens the crawl in the console without a key, for every person that has it. It
    also ends with the key that made it, and by DELETE of the same path."""
    expires_at: str
    """Time at which the address ends."""


class WebhookSecret(Warned):
    secret_hex: str
    """The secret in hex. Its bytes are the key of HMAC-SHA256. X-Crawler-Signature is "sha256=" and
    the hex digest of the raw body."""


class SecretRotation(TypedDict, total=False):
    grace_seconds: int
    """Seconds for which the earlier secrets sign beside the new one; 0 ends them at once."""


class _RedeliveryRequired(TypedDict):
    since: str
    """A time in RFC 3339: deliveries that ended before this time are skipped."""


class Redelivery(_RedeliveryRequired, total=False):
    state: Literal["dead"]
    """The deliveries to repeat. Only dead ones are redelivered."""


class RedeliveryStarted(Warned):
    redelivered: int
    """Number of deliveries that are repeated."""
    left: int
    """Number of dead deliveries that remain, as one request repeats at most 1,000. Send the request
    again."""


class WebhookTest(TypedDict):
    url: str
    """The receiver."""


class WebhookTestResult(Warned):
    id: str
    """The `webhook-id` of the sample."""
    delivered: bool
    """Whether the receiver accepted it with a 2xx."""
    status: Optional[int]
    """HTTP status of the receiver; null: no response."""
    latency_ms: int
    """Duration in milliseconds, from the DNS lookup to the last byte of the response."""
    error: Optional[str]
    """Reason of the failure; null: accepted."""
    response_excerpt: Optional[str]
    """Beginning of the response if it is text and not a 2xx; null otherwise."""


class WebhookAttempt(TypedDict):
    round: int
    """1 at first. Each redelivery begins another round."""
    attempt: int
    """Number of the attempt within its round."""
    at: str
    """Time of the attempt."""
    status: Optional[int]
    """HTTP status of the receiver; null: no response."""
    latency_ms: int
    """Duration in milliseconds, from the DNS lookup to the last byte of the response."""
    error: Optional[str]
    """Reason of the failure; null: accepted."""
    response_excerpt: Optional[str]
    """Beginning of the response if it is text and not a 2xx; null otherwise."""


class WebhookDelivery(Warned):
    id: str
    """Its `webhook-id`, the same in every attempt, by which receivers recognise repetitions."""
    run_id: int
    """The crawl of the webhook."""
    event: Literal["crawl.done", "crawl.diff_detected", "crawl.started", "page.fetched", "crawl.failed"]
    """The event."""
    url: str
    """URL of the receiver."""
    state: str
    """pending, delivered, dead, suppressed_no_change, suppressed_no_baseline or suppressed_no_match.
    """
    decided_at: str
    """Time at which the delivery was created."""
    ended_at: Optional[str]
    """Time at which its state became final; null: pending."""
    next_attempt_at: Optional[str]
    """Time of the next attempt; null: an attempt is under way, or the state is final."""
    attempts: List[WebhookAttempt]
    """The latest 100, in chronological order."""


class _WebhookDeliveryListRequired(TypedDict):
    items: List[WebhookDelivery]
    """The delivery of the end, then those of crawl.started, page.fetched and crawl.failed in the
    order of their decisions. Empty if the crawl has no webhook."""


class WebhookDeliveryList(Warned, _WebhookDeliveryListRequired, total=False):
    next_offset: int
    """Offset of the next part; absent: this is the last part."""


class UsageCaps(TypedDict):
    """The caps of the project."""

    pages_per_day: Optional[int]
    """null: no limit."""
    pages_per_month: Optional[int]
    """null: no limit."""
    cloud_pages_per_day: Optional[int]
    """null: no limit."""


class UsageToday(TypedDict):
    """Usage since midnight, UTC."""

    date: str
    """A day in UTC."""
    pages: int
    """Number of billed pages."""
    cloud_pages: int
    """Number of billed cloud pages, which are fetched past bot protection or rendered."""
    cloud_cost_usd: float
    """Their cost in US dollars."""
    pages_pct: float
    """Usage in percent of the cap; 0 without a cap."""
    cloud_pages_pct: float
    """Usage in percent of the cap; 0 without a cap."""


class UsageMonth(TypedDict):
    """Usage since the first of the month, UTC."""

    pages: int
    """Number of billed pages."""
    cloud_pages: int
    """Number of billed cloud pages, which are fetched past bot protection or rendered."""
    cloud_cost_usd: float
    """Their cost in US dollars."""
    pages_pct: float
    """Usage in percent of the cap; 0 without a cap."""


class Usage(Warned):
    tier: Literal["free", "pro", "agency", "studio"]
    """The tier of the project."""
    caps: UsageCaps
    """The caps of the project."""
    today: UsageToday
    """Usage since midnight, UTC."""
    month: UsageMonth
    """Usage since the first of the month, UTC."""
    retry_after_seconds: int
    """Seconds to the reset at midnight UTC."""


class UsageHistoryDaysItem(TypedDict):
    date: str
    """A day in UTC."""
    pages: int
    """Number of billed pages."""
    cloud_pages: int
    """Number of billed cloud pages, which are fetched past bot protection or rendered."""
    cloud_cost_usd: float
    """Their cost in US dollars."""


class UsageHistory(Warned):
    days: List[UsageHistoryDaysItem]
    """Every day up to today (UTC), oldest first."""


class LedgerItem(TypedDict):
    at: str
    """Time at which the page was fetched or failed."""
    day: str
    """The day (UTC) on which it is billed."""
    kind: Literal["page", "cloud_page", "model_call"]
    """The kind of unit. model_call: a call of the language model, which is not a page and has a daily
    cap of its own."""
    units: int
    """1, or 0 if it cost nothing."""
    reason: Literal["billed", "cached", "failed", "blocked"]
    """Outcome. billed: it was delivered; cached: it came from the store, as max_age_seconds allows;
    failed: it could not be fetched; blocked: the site responded with a challenge for bots."""
    operation: str
    """The requested operation, such as crawl, scan or scan_bulk."""
    run_id: Optional[int]
    """The crawl of the page, even if it is deleted."""
    page_id: Optional[int]
    """The page; null: no page was stored."""
    request_id: Optional[str]
    """X-Request-Id of the request."""
    url: Optional[str]
    """The URL. Null: the crawl was deleted, and its bill stays."""
    attempt: Optional[int]
    """Number of the attempt that fetched the page."""
    cost_usd: float
    """Cost of the backend beside the unit."""
    model: Optional[str]
    """The language model; null: the row is a page."""
    input_tokens: Optional[int]
    """Tokens that the model received."""
    output_tokens: Optional[int]
    """Tokens that the model wrote."""


class Ledger(Warned):
    items: List[LedgerItem]
    """In the order in which they were written."""
    next_offset: Optional[int]
    """Offset of the next part; null: this is the last part."""


class ApiKey(TypedDict):
    prefix: str
    """The first 12 characters of the key."""
    label: str
    """Label of the key. Keys without one show how they were created, such as `signup` or `rotated`.
    """
    created_at: str
    """Time of creation."""
    last_used_at: Optional[str]
    """Time of the last use, up to a minute old; null: never used."""
    revoked_at: Optional[str]
    """Time of the revocation; null: not revoked."""
    expires_at: Optional[str]
    """Expiry; null: the key does not expire."""


class ApiKeyList(Warned):
    items: List[ApiKey]
    """Valid, expired and revoked keys."""


class KeyRotation(TypedDict, total=False):
    label: str
    """Label: the purpose of the key."""
    grace_seconds: int
    """Seconds for which the existing keys stay valid beside the new one; 0 ends them at once."""


class RotatedKey(Warned):
    api_key: str
    """The secret of the key, shown only once."""
    prefix: str
    """The first 12 characters of the key."""
    label: str
    """Label of the key; `rotated` if none was given."""
    grace_seconds: int
    """Seconds for which the earlier keys stay valid."""


class Billing(Warned):
    tier: Literal["free", "pro", "agency", "studio"]
    """Tier of the project."""
    payment_customer_id: Optional[str]
    """Customer id of the payment provider."""
    payment_subscription_id: Optional[str]
    """Subscription id of the payment provider."""
    subscription_status: Optional[str]
    """Status of the subscription, as the payment provider stated it at the purchase; null: no
    subscription."""
    email: Optional[str]
    """Mail address of the signup; null: the operator created the project."""
    billing_mode: Literal["live", "mock"]
    """mock: test mode without payments."""


class ModelConsentEmbeddings(TypedDict):
    """The model of embeddings, which exports use; null: this installation has none. A consent is for
    both models."""

    consent: bool
    """Whether text of pages may be sent to this model."""
    model: str
    """Name of the model."""
    host: str
    """The host that receives the text."""


class _ModelConsentRequired(TypedDict):
    consent: bool
    """Whether addresses and text of pages may be sent to the model. A consent is for one host, and
    ends when the operator chooses another host."""
    model: Optional[str]
    """Name of the language model; null: this installation has none."""
    host: Optional[str]
    """The host that receives addresses and text; null: there is no model."""
    changed_at: Optional[str]
    """Time of the consent; null: without one."""
    changed_by: Optional[str]
    """Prefix of the key that gave it."""


class ModelConsent(Warned, _ModelConsentRequired, total=False):
    embeddings: Optional[ModelConsentEmbeddings]
    """The model of embeddings, which exports use; null: this installation has none. A consent is for
    both models."""


class ModelConsentRequest(TypedDict):
    consent: bool
    """true: addresses and text of pages may be sent to the host of the model. false: withdraws the
    consent."""


class LogEntry(TypedDict):
    ts: str
    """Time of the call."""
    method: str
    """HTTP method, such as GET."""
    path: str
    """Path without the query."""
    status: int
    """HTTP status of the response; 499: the client disconnected before it began."""
    duration_ms: float
    """Milliseconds until the response was sent."""
    client_ip: str
    """Address of the client, according to the trusted proxies."""
    request_id: str
    """X-Request-Id of the response."""


class LogList(Warned):
    items: List[LogEntry]
    """Newest first."""
    next_offset: Optional[int]
    """Offset of the next part; null: this is the last part."""


class IntentVerdictQuotesItem(TypedDict):
    url: str
    """The page of the line."""
    change: Literal["added", "removed"]
    """Whether the newer page has the line, or only the older one."""
    text: str
    """The line as the page has it, or a part of a line of more than 200 characters."""


class IntentVerdict(TypedDict):
    """The judgement of the language model. Only for monitors with an intent."""

    matched: Optional[bool]
    """Whether the changes are those of the intent; null: unknown."""
    reason: str
    """A sentence of the language model. For null one of: no_baseline, not_compared, not_stored,
    not_configured, no_consent, model_calls, model_failed, not_quoted, lines_left_out, timeout."""
    quotes: List[IntentVerdictQuotesItem]
    """The changed lines on which the judgement is based."""


class _CrawlDoneEventRequired(TypedDict):
    id: int
    """The crawl, as in `GET /v1/crawls/{id}`; 0 in a sample."""
    project_id: int
    """The project of the crawl."""
    url: str
    """The seed URL of the crawl."""
    status: Literal["done", "failed"]
    """The final status of the crawl."""
    page_count: int
    """All fetched pages, including those whose target answered 4xx or 5xx."""
    error_count: int
    """URLs that could not be fetched: DNS, TLS and connection failures."""
    started_at: Optional[str]
    """When the crawl started; null if it never did."""
    finished_at: str
    """When the crawl ended."""
    error_message: Optional[str]
    """Why the crawl failed; null if it did not."""
    delivered_at: str
    """When this attempt was sent. It differs between attempts."""
    event: Literal["crawl.done"]
    """Always `crawl.done`."""


class CrawlDoneEvent(_CrawlDoneEventRequired, total=False):
    intent: IntentVerdict
    test: Literal[True]
    """Only in samples of `POST /v1/webhook/test`, which have no crawl."""


class CrawlDiffDetectedEventDiff(TypedDict):
    """Number of pages that differ. `added`, `removed` and `changed` are not all 0."""

    added: int
    """Pages that the previous crawl did not have."""
    removed: int
    """Pages that only the previous crawl has."""
    changed: int
    """Pages with another `content_hash` or status."""
    unchanged: int
    """Pages that are unchanged."""


class _CrawlDiffDetectedEventRequired(TypedDict):
    id: int
    """The crawl, as in `GET /v1/crawls/{id}`; 0 in a sample."""
    project_id: int
    """The project of the crawl."""
    url: str
    """The seed URL of the crawl."""
    status: Literal["done"]
    """Always `done`: failed crawls are not compared."""
    page_count: int
    """All fetched pages, including those whose target answered 4xx or 5xx."""
    error_count: int
    """URLs that could not be fetched: DNS, TLS and connection failures."""
    started_at: Optional[str]
    """When the crawl started; null if it never did."""
    finished_at: str
    """When the crawl ended."""
    error_message: Optional[str]
    """Why the crawl failed; null if it did not."""
    delivered_at: str
    """When this attempt was sent. It differs between attempts."""
    event: Literal["crawl.diff_detected"]
    """Always `crawl.diff_detected`."""
    diff: CrawlDiffDetectedEventDiff
    """Number of pages that differ. `added`, `removed` and `changed` are not all 0."""
    previous_run_id: int
    """The crawl that this one was compared with."""


class CrawlDiffDetectedEvent(_CrawlDiffDetectedEventRequired, total=False):
    intent: IntentVerdict


class CrawlStartedEvent(TypedDict):
    id: int
    """The crawl, as in `GET /v1/crawls/{id}`; 0 in a sample."""
    project_id: int
    """The project of the crawl."""
    url: str
    """The seed URL of the crawl."""
    status: Literal["running"]
    """Always `running`."""
    started_at: str
    """When the crawl started."""
    delivered_at: str
    """When this attempt was sent. It differs between attempts."""
    event: Literal["crawl.started"]
    """Always `crawl.started`."""


class FetchedPage(TypedDict):
    id: int
    """The id of the page, unique across all crawls."""
    url: str
    """URL of the page, after all redirects."""
    status: int
    """HTTP status of the target."""
    bytes: int
    """Length of the decoded body, in bytes."""
    fetched_at: str
    """Time of the fetch."""
    title: Optional[str]
    """Title of the page; null: it has none."""
    content_hash: str
    """SHA-256 in hex of the content that readers see: changes of markup, scripts and the like do not
    affect it."""


class PageFetchedEvent(TypedDict):
    id: int
    """The crawl, as in `GET /v1/crawls/{id}`; 0 in a sample."""
    project_id: int
    """The project of the crawl."""
    url: str
    """The seed URL of the crawl."""
    batch: int
    """Number of the batch within the crawl, without gaps."""
    pages: List[FetchedPage]
    """Pages in the order in which the crawl stored them. Each page is in one batch."""
    delivered_at: str
    """When this attempt was sent. It differs between attempts."""
    event: Literal["page.fetched"]
    """Always `page.fetched`."""


class CrawlFailedEvent(TypedDict):
    id: int
    """The crawl, as in `GET /v1/crawls/{id}`; 0 in a sample."""
    project_id: int
    """The project of the crawl."""
    url: str
    """The seed URL of the crawl."""
    status: Literal["failed"]
    """Always `failed`."""
    page_count: int
    """All fetched pages, including those whose target answered 4xx or 5xx."""
    error_count: int
    """URLs that could not be fetched: DNS, TLS and connection failures."""
    started_at: Optional[str]
    """When the crawl started; null if it never did."""
    finished_at: str
    """When the crawl ended."""
    error_message: Optional[str]
    """Why the crawl failed; null if it did not."""
    delivered_at: str
    """When this attempt was sent. It differs between attempts."""
    event: Literal["crawl.failed"]
    """Always `crawl.failed`."""


class BatchDoneEvent(TypedDict):
    id: int
    """The batch, as in `GET /v1/scan/batches/{id}`."""
    project_id: int
    """The project of the batch."""
    status: Literal["done"]
    """Always `done`: a cancelled batch sends nothing."""
    counts: BatchCounts
    created_at: str
    """When the batch was requested."""
    finished_at: str
    """When the last URL had its result."""
    delivered_at: str
    """When this attempt was sent. It differs between attempts."""
    event: Literal["batch.done"]
    """Always `batch.done`."""


class Problem(TypedDict):
    error: Refusal


class _ProblemDetailsRequired(TypedDict):
    type: Literal["about:blank"]
    """Always this value: `code` names the error."""
    title: str
    """The status in words."""
    status: int
    """The HTTP status."""
    detail: str
    """Message for people: the problem and the remedy."""
    instance: str
    """A URN of the request id."""
    code: str
    """Stable code from a closed list."""


class ProblemDetails(_ProblemDetailsRequired, total=False):
    retry_after_seconds: int
    """Seconds to wait before a retry. Also in Retry-After."""
    reason: str
    """Stable sub-code."""
    field: str
    """The request field that caused the error."""
    run_id: int
    """The crawl that was started. It may continue."""
    request_id: str
    """Id of this request for support. Also in X-Request-Id."""


class ProgressData(TypedDict):
    page_count: int
    """Number of pages of the crawl."""
    error_count: int
    """Number of URLs that failed."""
    pending: int
    """Number of URLs that are admitted, or listed in urls, and have no outcome yet."""
    discovered: int
    """Number of URLs that were judged, admitted or not, and of those listed in urls."""


class PageData(TypedDict):
    id: int
    """The page."""
    url: str
    """The URL of the page, after redirects."""
    status: int
    """HTTP status of the target."""
    bytes: int
    """Length of the decoded body, in bytes."""
    title: Optional[str]
    """Title of the page; null: it has none."""
    depth: int
    """Number of links from the seed to the page."""
    fetched_at: str
    """Time of the fetch."""


_DecisionDataAdmittedPagesItemRequiredKeys = TypedDict(
    "_DecisionDataAdmittedPagesItemRequiredKeys",
    {
        "from": "Optional[str]",
    },
)


class DecisionDataAdmittedPagesItem(_DecisionDataAdmittedPagesItemRequiredKeys):
    url: str
    """The URL, or its key if the URL is not stored any longer."""
    depth: int
    """Number of links from the seed to the page."""


class DecisionDataAdmitted(TypedDict):
    decision: Literal["admitted"]
    """The URLs will be fetched."""
    pages: List[DecisionDataAdmittedPagesItem]
    """The URLs of this decision, at most 100."""


_DecisionDataDeferredPagesItemRequiredKeys = TypedDict(
    "_DecisionDataDeferredPagesItemRequiredKeys",
    {
        "from": "Optional[str]",
    },
)


class DecisionDataDeferredPagesItem(_DecisionDataDeferredPagesItemRequiredKeys):
    url: str
    """The URL, or its key if the URL is not stored any longer."""
    depth: int
    """Number of links from the seed to the page."""


class DecisionDataDeferred(TypedDict):
    decision: Literal["deferred"]
    """A limit prevents the fetch of these URLs."""
    limit: Literal["max_pages", "depth"]
    """The name of the limit."""
    pages: List[DecisionDataDeferredPagesItem]
    """The URLs of this decision, at most 100."""


_DecisionDataSkippedPagesItemRequiredKeys = TypedDict(
    "_DecisionDataSkippedPagesItemRequiredKeys",
    {
        "from": "Optional[str]",
    },
)


class DecisionDataSkippedPagesItem(_DecisionDataSkippedPagesItemRequiredKeys):
    url: str
    """The URL, or its key if the URL is not stored any longer."""
    rule: Optional[str]
    """The line of robots.txt that decided; null: no line."""


class DecisionDataSkipped(TypedDict):
    decision: Literal["skipped"]
    """The rules forbid the fetch of these URLs."""
    reason: str
    """The rule, such as robots."""
    pages: List[DecisionDataSkippedPagesItem]
    """The URLs of this decision, at most 100."""


_DecisionDataFilteredPagesItemRequiredKeys = TypedDict(
    "_DecisionDataFilteredPagesItemRequiredKeys",
    {
        "from": "Optional[str]",
    },
)


class DecisionDataFilteredPagesItem(_DecisionDataFilteredPagesItemRequiredKeys):
    url: str
    """The URL, or its key if the URL is not stored any longer."""
    pattern: Optional[str]
    """The pattern that matched; null: none matched."""


class DecisionDataFiltered(TypedDict):
    decision: Literal["filtered"]
    """The path patterns of the request exclude these URLs."""
    by: Literal["include", "exclude"]
    """The field with the patterns."""
    pages: List[DecisionDataFilteredPagesItem]
    """The URLs of this decision, at most 100."""


_DecisionDataPrunedPagesItemRequiredKeys = TypedDict(
    "_DecisionDataPrunedPagesItemRequiredKeys",
    {
        "from": "Optional[str]",
    },
)


class DecisionDataPrunedPagesItem(_DecisionDataPrunedPagesItemRequiredKeys):
    url: str
    """The URL, or its key if the URL is not stored any longer."""
    because: str
    """The evidence of the rule."""


class DecisionDataPruned(TypedDict):
    decision: Literal["pruned"]
    """The URLs look like part of an endless series."""
    rule: Literal["path_repetition", "path_depth", "calendar", "parameters", "session_id", "equal_content"]
    """The name of the trap rule."""
    pages: List[DecisionDataPrunedPagesItem]
    """The URLs of this decision, at most 100."""


class DecisionDataPaused(TypedDict):
    decision: Literal["paused"]
    """The client paused the crawl."""


class DecisionDataResumed(TypedDict):
    decision: Literal["resumed"]
    """The client resumed the crawl."""


class DecisionDataReopened(TypedDict):
    decision: Literal["reopened"]
    """The client retries failed URLs of the crawl, which had ended."""
    urls: int
    """Number of URLs that are pending again."""


class DecisionDataDuplicatedPagesItem(TypedDict):
    url: str
    """The URL, or its key if the URL is not stored any longer."""
    of: str
    """The URL under which the page is stored."""


class DecisionDataDuplicated(TypedDict):
    decision: Literal["duplicated"]
    """The URLs lead to pages that the crawl already has."""
    pages: List[DecisionDataDuplicatedPagesItem]
    """The URLs of this decision, at most 100."""


class DecisionDataFailedPagesItem(TypedDict):
    url: str
    """The URL, or its key if the URL is not stored any longer."""
    reason: str
    """Such as dns, connect, tls, timeout or too_large."""
    attempts: int
    """Number of attempts."""


class DecisionDataFailed(TypedDict):
    decision: Literal["failed"]
    """The URLs got no HTTP response."""
    pages: List[DecisionDataFailedPagesItem]
    """The URLs of this decision, at most 100."""


class DecisionDataRetriedPagesItem(TypedDict):
    url: str
    """The URL, or its key if the URL is not stored any longer."""
    reason: str
    """Such as dns, connect, tls, timeout or too_large."""
    attempt: int
    """Number of the next attempt, counted from 1."""
    not_before: str
    """Earliest time of the next attempt."""


class DecisionDataRetried(TypedDict):
    decision: Literal["retried"]
    """The URLs will be retried."""
    pages: List[DecisionDataRetriedPagesItem]
    """The URLs of this decision, at most 100."""


class DecisionDataRobotsRead(TypedDict):
    decision: Literal["robots"]
    """The crawl requested a robots.txt."""
    outcome: Literal["read"]
    """The outcome of the request."""
    origin: str
    """The origin of the robots.txt, such as https://example.com."""
    status: int
    """HTTP status of the response."""
    verdict: str
    """The consequence for the whole site."""


class DecisionDataRobotsFailed(TypedDict):
    decision: Literal["robots"]
    """The crawl requested a robots.txt."""
    outcome: Literal["failed"]
    """The outcome of the request."""
    origin: str
    """The origin of the robots.txt, such as https://example.com."""
    reason: str
    """Such as dns, connect, tls, timeout or too_large."""


class DecisionDataRobotsRetried(TypedDict):
    decision: Literal["robots"]
    """The crawl requested a robots.txt."""
    outcome: Literal["retried"]
    """The outcome of the request."""
    origin: str
    """The origin of the robots.txt, such as https://example.com."""
    attempt: int
    """Number of the next attempt, counted from 1."""
    not_before: str
    """Earliest time of the next attempt."""


class DecisionDataSitemapRead(TypedDict):
    decision: Literal["sitemap"]
    """The crawl requested a sitemap."""
    outcome: Literal["read"]
    """The outcome of the request."""
    url: str
    """The URL, or its key if the URL is not stored any longer."""
    status: int
    """HTTP status of the response."""
    urls: int
    """Number of URLs that it lists."""
    sitemaps: int
    """Number of further sitemaps that it lists."""
    cut: Optional[str]
    """The part that was not read, or the reason; null: all of it was read."""


class DecisionDataSitemapFailed(TypedDict):
    decision: Literal["sitemap"]
    """The crawl requested a sitemap."""
    outcome: Literal["failed"]
    """The outcome of the request."""
    url: str
    """The URL, or its key if the URL is not stored any longer."""
    reason: str
    """Such as dns, connect, tls, timeout or too_large."""


class DecisionDataSitemapRetried(TypedDict):
    decision: Literal["sitemap"]
    """The crawl requested a sitemap."""
    outcome: Literal["retried"]
    """The outcome of the request."""
    url: str
    """The URL, or its key if the URL is not stored any longer."""
    attempt: int
    """Number of the next attempt, counted from 1."""
    not_before: str
    """Earliest time of the next attempt."""


class DecisionDataFrontierFilled(TypedDict):
    decision: Literal["frontier_filled"]
    """The crawl has reached its maximum number of known URLs. URLs found from now on are not judged.
    """
    known: int
    """Number of URLs that the crawl knows, which is the maximum."""


DecisionData = Union[DecisionDataAdmitted, DecisionDataDeferred, DecisionDataSkipped, DecisionDataFiltered, DecisionDataPruned, DecisionDataPaused, DecisionDataResumed, DecisionDataReopened, DecisionDataDuplicated, DecisionDataFailed, DecisionDataRetried, DecisionDataRobotsRead, DecisionDataRobotsFailed, DecisionDataRobotsRetried, DecisionDataSitemapRead, DecisionDataSitemapFailed, DecisionDataSitemapRetried, DecisionDataFrontierFilled]


class EndDataTotals(TypedDict):
    """The outcomes of all URLs, as in the coverage; null: the crawl was deleted."""

    discovered: int
    """Sum of the other counts."""
    fetched: int
    """URLs that are pages."""
    failed: int
    """URLs that got no HTTP response."""
    skipped: int
    """URLs that rules exclude."""
    duplicate: int
    """URLs that lead to the page of another URL."""
    not_reached: int
    """URLs that a limit prevented from being fetched."""
    pending: int
    """URLs that were still waiting."""


class _EndDataRequired(TypedDict):
    status: Literal["done", "failed", "cancelled", "deleted"]
    """The final status of the crawl."""
    stop_reason: Optional[Literal["exhausted", "max_pages", "depth", "max_cost_usd", "max_bytes", "quota", "time_limit", "pattern_time", "cancelled", "failed"]]
    """The reason for the end; null: the crawl was deleted."""
    error_message: Optional[str]
    """The reason for the failure in words; null: the crawl did not fail."""
    totals: Optional[EndDataTotals]
    """The outcomes of all URLs, as in the coverage; null: the crawl was deleted."""


class EndData(_EndDataRequired, total=False):
    error_reason: Optional[str]
    """The reason for the failure as a stable code: robots_disallowed, robots_unreachable, dns,
    connect, tls, timeout, proxy, protocol, too_large, too_many_redirects, private_address,
    blocked_domain, sitemap, empty_sitemap, login_failed, logged_out, time_limit and others. Null:
    the crawl did not fail."""
