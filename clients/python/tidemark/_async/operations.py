"""One method for each operation of the API, generated from the OpenAPI document: do not edit.

`node test/python-sdk.ts` writes this file, and a test compares it with the document.
"""

from __future__ import annotations

from typing import Any, Callable, Literal, Mapping, Optional, Sequence, Union, cast

from .. import types
from .._calls import OMITTED, Call, Omitted, Progress, segment, segments
from .listing import AsyncListing, AsyncNumberedListing, AsyncTimedListing
from .transport import AsyncGroup


class AsyncRootOperations(AsyncGroup):
    async def health(
        self,
        *,
        timeout: Optional[float] = None,
    ) -> str:
        """Liveness.

        Public. Returns 200 while the process runs, and checks no dependency.

        Args:
            timeout: Seconds to wait for the service. Default: the timeout of the client.
        """
        call = Call(
            "GET",
            "/v1/health",
            public=True,
            text=True,
            timeout=timeout,
        )
        return cast("str", await self._transport.send(call))

    async def ready(
        self,
        *,
        timeout: Optional[float] = None,
    ) -> str:
        """Readiness.

        Public. Checks the database, the event stream and the heartbeats of all services. 503 names
        the checks that fail.

        Args:
            timeout: Seconds to wait for the service. Default: the timeout of the client.
        """
        call = Call(
            "GET",
            "/v1/ready",
            public=True,
            text=True,
            timeout=timeout,
        )
        return cast("str", await self._transport.send(call))

    async def llms_txt(
        self,
        url: str,
        *,
        max_pages: Optional[int] = None,
        site_name: Optional[str] = None,
        summary: Optional[str] = None,
        wait_seconds: Optional[int] = None,
        format: Optional[Literal["llms_txt", "llms_full_txt", "json"]] = None,
        max_tokens: Optional[int] = None,
        timeout: Optional[float] = None,
    ) -> Union[str, types.LlmsTxtBuild]:
        """Crawl a site and write its llms.txt.

        Billed like the crawl that it starts. If the crawl takes longer than `wait_seconds`, the
        response is 408 with the id of the crawl, which continues. `format` selects llms.txt,
        llms-full.txt, or both as JSON with a report of the pages that were left out.

        Args:
            url: The home page of the site, or of a section of it.
            max_pages: Number of pages to crawl.
            site_name: The heading. Default: the name that the site gives itself.
            summary: The summary below the heading.
            wait_seconds: Maximum time to wait for the crawl. If it takes longer, the response is
                408 with the id of the crawl, which continues.
            format: The response: llms_txt or llms_full_txt as text, or json with both texts and a
                report of the pages that were left out.
            max_tokens: Maximum number of tokens of llms-full.txt, estimated as one per four bytes
                of UTF-8. Optional pages are the first to be left out.
            timeout: Seconds to wait for the service. Default: the timeout of the client.
        """
        call = Call(
            "POST",
            "/v1/llms-txt-build",
            body={
                "url": url,
                "max_pages": max_pages,
                "site_name": site_name,
                "summary": summary,
                "wait_seconds": wait_seconds,
                "format": format,
                "max_tokens": max_tokens,
            },
            text=True,
            patience=720,
            timeout=timeout,
        )
        return cast("Union[str, types.LlmsTxtBuild]", await self._transport.send(call))

    async def scan(
        self,
        url: str,
        *,
        user_agent: Optional[str] = None,
        max_age_seconds: Optional[int] = None,
        cloud_mode: Optional[Literal["none", "auto", "unblocker", "browser"]] = None,
        metadata_only: Optional[bool] = None,
        only_main_content: Optional[bool] = None,
        include_links: Optional[bool] = None,
        include_article: Optional[bool] = None,
        chunks: Optional[types.ChunkRequest] = None,
        screenshot_inline: Optional[bool] = None,
        extract: Optional[types.ScanRequestExtract] = None,
        timeout: Optional[float] = None,
    ) -> types.Scan:
        """Read one page now.

        Returns markdown, metadata and signals of a page, and the rules of its site for AI bots.
        Costs one page per scanned page.

        Args:
            url: A public URL; http:// or https://.
            user_agent: User-Agent of the request. Default: that of a browser.
            max_age_seconds: Use the newest page that a crawl or a scan of the project has stored if
                it is younger than this number of seconds. A page of a scan was requested by the
                same user_agent and cloud_mode.
            cloud_mode: Means beyond plain HTTP: auto uses the unblocker after a challenge, a
                failure, 403 or 406, and a browser if only scripts make the page, unblocker uses it
                from the start, browser uses only a browser. Default: the setting of the project, or
                none.
            metadata_only: Leave out markdown and article.
            only_main_content: Markdown without navigation, site header, footer and the like.
            include_links: Add the links of the page as `anchors`.
            include_article: Add the main text as `article_text`.
            chunks: Splits the Markdown into chunks, which are added as `chunks`.
            screenshot_inline: Add a screenshot of the page, of at most its first 20,000 pixels in
                height, as `screenshot`. Costs one cloud page per screenshot. Stored pages are not
                used.
            extract: Values to extract, by name: a CSS selector, or {selector, attr, all}. They are
                returned as `extracted`. With `{schema: …}`, a JSON Schema, they are returned as
                `extraction`.
            timeout: Seconds to wait for the service. Default: the timeout of the client.
        """
        call = Call(
            "POST",
            "/v1/scan",
            body={
                "url": url,
                "user_agent": user_agent,
                "max_age_seconds": max_age_seconds,
                "cloud_mode": cloud_mode,
                "metadata_only": metadata_only,
                "only_main_content": only_main_content,
                "include_links": include_links,
                "include_article": include_article,
                "chunks": chunks,
                "screenshot_inline": screenshot_inline,
                "extract": extract,
            },
            timeout=timeout,
        )
        return cast("types.Scan", await self._transport.send(call))

    async def scan_many(
        self,
        urls: Sequence[str],
        *,
        concurrency: Optional[int] = None,
        metadata_only: Optional[bool] = None,
        max_age_seconds: Optional[int] = None,
        user_agent: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> types.BulkScan:
        """Read up to 100 pages now.

        Each page has its own result or error, in the order of the request. Costs one page per URL,
        even if it could not be fetched.

        Args:
            urls: Up to 100 URLs. Each has its own result, even an invalid URL.
            concurrency: Concurrent requests, from 1 to 64. Other values are set to the nearest
                bound. At most four to one host.
            metadata_only: Leave out markdown and article.
            max_age_seconds: Use the newest page that a crawl or a scan of the project has stored if
                it is younger than this number of seconds. A page of a scan was requested by the
                same user_agent and cloud_mode.
            user_agent: User-Agent of the request. Default: that of a browser.
            timeout: Seconds to wait for the service. Default: the timeout of the client.
        """
        call = Call(
            "POST",
            "/v1/scan/bulk",
            body={
                "urls": urls,
                "concurrency": concurrency,
                "metadata_only": metadata_only,
                "max_age_seconds": max_age_seconds,
                "user_agent": user_agent,
            },
            timeout=timeout,
        )
        return cast("types.BulkScan", await self._transport.send(call))

    async def delete_scans(
        self,
        url: str,
        *,
        timeout: Optional[float] = None,
    ) -> types.DeletedScans:
        """Delete the stored page of a scan.

        Deletes what scans of the project stored of a URL for `max_age_seconds`. Pages of crawls,
        results of batches and the bill stay.

        Args:
            url: A public URL; http:// or https://.
            timeout: Seconds to wait for the service. Default: the timeout of the client.
        """
        call = Call(
            "DELETE",
            "/v1/scans",
            query={
                "url": url,
            },
            timeout=timeout,
        )
        return cast("types.DeletedScans", await self._transport.send(call))

    async def map(
        self,
        url: str,
        *,
        limit: Optional[int] = None,
        search: Optional[str] = None,
        subdomains: Optional[bool] = None,
        include_sitemaps: Optional[bool] = None,
        respect_robots: Optional[bool] = None,
        timeout: Optional[float] = None,
    ) -> types.Map:
        """List the URLs of a site without a crawl.

        Reads the sitemaps and the home page. Sends at most 60 requests to the site. Nothing is
        billed.

        Args:
            url: The home page of the site, or of a section of it; http:// or https://.
            limit: Maximum number of URLs.
            search: Only URLs with one of these words in path or title, best match first.
            subdomains: Include subdomains of the site's host.
            include_sitemaps: False: read only the links of the home page.
            respect_robots: Do not fetch a home page that robots.txt forbids. URLs in sitemaps are
                listed anyway.
            timeout: Seconds to wait for the service. Default: the timeout of the client.
        """
        call = Call(
            "POST",
            "/v1/map",
            body={
                "url": url,
                "limit": limit,
                "search": search,
                "subdomains": subdomains,
                "include_sitemaps": include_sitemaps,
                "respect_robots": respect_robots,
            },
            timeout=timeout,
        )
        return cast("types.Map", await self._transport.send(call))

    async def robots_policy(
        self,
        url: str,
        *,
        user_agent: Optional[str] = None,
        known: Optional[types.RobotsPolicy] = None,
        timeout: Optional[float] = None,
    ) -> types.RobotsPolicy:
        """Read the rules of a site for AI bots.

        Evaluates robots.txt and llms.txt. Responses of the site are cached for an hour. Nothing is
        billed.

        Args:
            url: Any URL of the site; http:// or https://. The files at its origin are read.
            user_agent: The crawler that the verdict is for: a product token or a whole User-Agent.
                It is not sent to the site. Default: the crawler of this service.
            known: An earlier response, which is returned again if nothing has changed.
            timeout: Seconds to wait for the service. Default: the timeout of the client.
        """
        call = Call(
            "GET",
            "/v1/robots-policy",
            query={
                "url": url,
                "user_agent": user_agent,
            },
            known=known,
            timeout=timeout,
        )
        return cast("types.RobotsPolicy", await self._transport.send(call))


class AsyncAccountOperations(AsyncGroup):
    async def sign_up(
        self,
        project_name: str,
        email: str,
        *,
        tier: Optional[Literal["free", "pro", "agency", "studio"]] = None,
        turnstile_token: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> types.SignedUp:
        """Sign up.

        Creates a free project at once and returns its key, which is also sent by mail. For other
        tiers, reserves the name and sends the key by mail when the checkout is paid.

        Args:
            project_name: Name of the project: 1 to 64 letters, digits, "_" and "-".
            email: Mail address that receives the key.
            tier: free is created at once; the other tiers after a checkout.
            turnstile_token: Response token of the captcha. Required if the installation uses one.
            timeout: Seconds to wait for the service. Default: the timeout of the client.
        """
        call = Call(
            "POST",
            "/v1/signup",
            body={
                "project_name": project_name,
                "email": email,
                "tier": tier,
                "turnstile_token": turnstile_token,
            },
            public=True,
            timeout=timeout,
        )
        return cast("types.SignedUp", await self._transport.send(call))

    async def checkout(
        self,
        intent_id: int,
        *,
        timeout: Optional[float] = None,
    ) -> types.Checkout:
        """Find the checkout of a signup.

        Returns the checkout page of an intent that can still be paid. An expired intent is 409
        `intent_expired`: sign up again.

        Args:
            intent_id: The `intent_id` that `POST /v1/signup` returned.
            timeout: Seconds to wait for the service. Default: the timeout of the client.
        """
        call = Call(
            "GET",
            "/v1/billing/checkout",
            query={
                "intent_id": intent_id,
            },
            public=True,
            timeout=timeout,
        )
        return cast("types.Checkout", await self._transport.send(call))

    async def evidence_keys(
        self,
        *,
        known: Optional[types.EvidenceKeys] = None,
        timeout: Optional[float] = None,
    ) -> types.EvidenceKeys:
        """List the keys that verify evidence.

        Public: a JSON Web Key Set (RFC 7517) of Ed25519 keys. Keep a copy with the evidence, so
        that it verifies without this installation.

        Args:
            known: An earlier response, which is returned again if nothing has changed.
            timeout: Seconds to wait for the service. Default: the timeout of the client.
        """
        call = Call(
            "GET",
            "/v1/evidence-keys",
            known=known,
            public=True,
            timeout=timeout,
        )
        return cast("types.EvidenceKeys", await self._transport.send(call))

    async def usage(
        self,
        *,
        known: Optional[types.Usage] = None,
        timeout: Optional[float] = None,
    ) -> types.Usage:
        """Read usage and caps.

        Counted per day and month in UTC.

        Args:
            known: An earlier response, which is returned again if nothing has changed.
            timeout: Seconds to wait for the service. Default: the timeout of the client.
        """
        call = Call(
            "GET",
            "/v1/usage",
            known=known,
            timeout=timeout,
        )
        return cast("types.Usage", await self._transport.send(call))

    async def usage_history(
        self,
        *,
        days: Optional[int] = None,
        known: Optional[types.UsageHistory] = None,
        timeout: Optional[float] = None,
    ) -> types.UsageHistory:
        """Read usage day by day.

        Days without usage have zeros.

        Args:
            days: Number of days, up to today.
            known: An earlier response, which is returned again if nothing has changed.
            timeout: Seconds to wait for the service. Default: the timeout of the client.
        """
        call = Call(
            "GET",
            "/v1/usage/history",
            query={
                "days": days,
            },
            known=known,
            timeout=timeout,
        )
        return cast("types.UsageHistory", await self._transport.send(call))

    def ledger(
        self,
        *,
        from_: Optional[str] = None,
        to: Optional[str] = None,
        run_id: Optional[int] = None,
        request_id: Optional[str] = None,
        kind: Optional[Literal["page", "cloud_page", "model_call"]] = None,
        limit: Optional[int] = None,
        offset: Optional[int] = None,
        known: Optional[types.Ledger] = None,
        timeout: Optional[float] = None,
    ) -> AsyncListing[types.LedgerItem, types.Ledger]:
        """List the usage ledger.

        Lists the bill row by row, in the order in which it was written. The units of a day add up
        to the counters of that day in /v1/usage and /v1/usage/history. Attempts that cost nothing
        are listed with 0 units. A row appears shortly after the work that it bills.

        For CSV or NDJSON, send `format` with `client.request`.

        Args:
            from_: The first day (UTC). Default: the day of `to`; with a run or a request, its first
                day. At most 365 days.
            to: The last day (UTC). Default: today.
            run_id: Only pages of this crawl.
            request_id: Only rows of this request.
            kind: Only rows of this kind.
            limit: Maximum number of items.
            offset: Number of items to skip: 0, or `next_offset` of the previous page.
            known: An earlier response, which is returned again if nothing has changed.
            timeout: Seconds to wait for the service. Default: the timeout of the client.
        """
        call = Call(
            "GET",
            "/v1/usage/ledger",
            query={
                "from": from_,
                "to": to,
                "run_id": run_id,
                "request_id": request_id,
                "kind": kind,
                "limit": limit,
                "offset": offset,
            },
            known=known,
            timeout=timeout,
        )
        return AsyncListing[types.LedgerItem, types.Ledger](self._transport, call, "items")

    async def billing(
        self,
        *,
        known: Optional[types.Billing] = None,
        timeout: Optional[float] = None,
    ) -> types.Billing:
        """Read the billing state.

        The tier of the project, and its customer if it is paid.

        Args:
            known: An earlier response, which is returned again if nothing has changed.
            timeout: Seconds to wait for the service. Default: the timeout of the client.
        """
        call = Call(
            "GET",
            "/v1/billing/status",
            known=known,
            timeout=timeout,
        )
        return cast("types.Billing", await self._transport.send(call))

    async def model_consent(
        self,
        *,
        known: Optional[types.ModelConsent] = None,
        timeout: Optional[float] = None,
    ) -> types.ModelConsent:
        """Get the consent to a language model.

        Returns whether addresses and text of pages may be sent to the language model of this
        installation, and to which host.

        Args:
            known: An earlier response, which is returned again if nothing has changed.
            timeout: Seconds to wait for the service. Default: the timeout of the client.
        """
        call = Call(
            "GET",
            "/v1/model-consent",
            known=known,
            timeout=timeout,
        )
        return cast("types.ModelConsent", await self._transport.send(call))

    async def set_model_consent(
        self,
        consent: bool,
        *,
        timeout: Optional[float] = None,
    ) -> types.ModelConsent:
        """Give or withdraw the consent to a language model.

        No page is sent to a language model without this consent. It is for the current hosts of the
        language model and of the model of embeddings only, and the event of each change names its
        time and its key. A key that the operator has restricted cannot change it.

        Args:
            consent: true: addresses and text of pages may be sent to the host of the model. false:
                withdraws the consent.
            timeout: Seconds to wait for the service. Default: the timeout of the client.
        """
        call = Call(
            "PUT",
            "/v1/model-consent",
            body={
                "consent": consent,
            },
            timeout=timeout,
        )
        return cast("types.ModelConsent", await self._transport.send(call))

    def logs(
        self,
        *,
        limit: Optional[int] = None,
        offset: Optional[int] = None,
        until: Optional[str] = None,
        status_min: Optional[int] = None,
        status_max: Optional[int] = None,
        known: Optional[types.LogList] = None,
        timeout: Optional[float] = None,
    ) -> AsyncTimedListing[types.LogEntry, types.LogList]:
        """List the API calls of this project.

        Newest first. A call is listed shortly after its response. Of the 429 responses of a minute,
        each gateway lists the first 60. Queries, bodies and keys are not stored.

        For CSV or NDJSON, send `format` with `client.request`.

        Args:
            limit: Maximum number of calls.
            offset: Number of calls to skip.
            until: A time in RFC 3339: only calls until then, inclusive. Each read of this list adds
                a call at its front. Continue with the `ts` of the last item. Set `offset` to the
                number of items with this `ts` that you have. Skip repeated values of `request_id`.
            status_min: Only calls with at least this status.
            status_max: Only calls with at most this status.
            known: An earlier response, which is returned again if nothing has changed.
            timeout: Seconds to wait for the service. Default: the timeout of the client.
        """
        call = Call(
            "GET",
            "/v1/logs",
            query={
                "limit": limit,
                "offset": offset,
                "until": until,
                "status_min": status_min,
                "status_max": status_max,
            },
            known=known,
            timeout=timeout,
        )
        return AsyncTimedListing[types.LogEntry, types.LogList](self._transport, call, "items")


class AsyncCrawlsOperations(AsyncGroup):
    async def start(
        self,
        url: str,
        *,
        max_pages: Optional[int] = None,
        max_cost_usd: Optional[float] = None,
        max_bytes: Optional[int] = None,
        depth: Optional[int] = None,
        concurrency: Optional[int] = None,
        delay_ms: Optional[int] = None,
        subdomains: Optional[bool] = None,
        respect_robots: Optional[bool] = None,
        store_html: Optional[bool] = None,
        headers: Optional[Mapping[str, str]] = None,
        cookies: Optional[str] = None,
        webhook_url: Optional[str] = None,
        webhook_events: Optional[Sequence[Literal["crawl.done", "crawl.diff_detected", "crawl.started", "page.fetched", "crawl.failed"]]] = None,
        user_agent: Optional[str] = None,
        proxy_url: Optional[str] = None,
        proxy_pool: Optional[Literal["datacenter", "isp", "residential", "mobile"]] = None,
        proxy_country: Optional[str] = None,
        seed_kind: Optional[Literal["url", "sitemap"]] = None,
        urls: Optional[Sequence[str]] = None,
        follow_links: Optional[bool] = None,
        include_paths: Optional[Sequence[str]] = None,
        exclude_paths: Optional[Sequence[str]] = None,
        ignore_selectors: Optional[Sequence[str]] = None,
        only_selectors: Optional[Sequence[str]] = None,
        ignore_text: Optional[Sequence[str]] = None,
        min_changed_words: Optional[int] = None,
        max_age_seconds: Optional[int] = None,
        aggressive: Optional[bool] = None,
        trap_guards: Optional[bool] = None,
        render: Optional[Literal["none", "auto", "always"]] = None,
        screenshots: Optional[bool] = None,
        login: Optional[types.CrawlLogin] = None,
        conditional: Optional[bool] = None,
        intent: Optional[str] = None,
        only_matching: Optional[bool] = None,
        timezone: Optional[str] = None,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> types.CrawlAccepted:
        """Start a crawl, or with cron a monitor.

        Returns at once. Follow the crawl at `Location`. Send an `Idempotency-Key` so that a
        repeated request starts nothing twice. A project may have five crawls queued or running.

        Args:
            url: The URL where the crawl starts; http:// or https://.
            max_pages: Maximum number of pages. The crawl ends when it has that many.
            max_cost_usd: Maximum cost in US dollars: the crawl never bills more. It must cover at
                least one page: a page costs 0.001, a rendered page 0.01. Each page in flight
                reserves its price, with render its highest one. When the remaining amount does not
                cover another page, the crawl ends with stop_reason max_cost_usd.
            max_bytes: Maximum bytes of all pages together, each with the size of its decoded body.
                Pages that the site did not send again (304) count nothing, nor do robots.txt,
                sitemaps and failed requests. Each page in flight reserves bytes. When a page does
                not fit into the rest, the crawl ends with stop_reason max_bytes.
            depth: Maximum number of links from the seed to a page.
            concurrency: Concurrent requests; automatic by default. Values above 64 are capped at
                64.
            delay_ms: Milliseconds between requests to one host.
            subdomains: Follow subdomains of the seed's host.
            respect_robots: Obey robots.txt, including Crawl-delay.
            store_html: Store bodies. Without them, pages have no html, markdown or articles.
            headers: Headers of every request to the seed's site. They are never sent to other
                sites. The product token of a User-Agent among them is public: robots.txt of the
                seed's site is matched by it, and GET /v1/crawls/{id}/policy returns it.
            cookies: Cookies for the seed's site, as "k=v; k=v".
            webhook_url: Receives a webhook when the crawl ends as done or failed.
            webhook_events: The events to send. crawl.started, page.fetched (in batches of at most
                100 pages) and crawl.failed are sent beside the webhook of the end.
            user_agent: User-Agent of the crawl; robots.txt is then matched by its product token. If
                it is left out or begins with InternalCrawler/, the crawl uses the User-Agent of a
                browser.
            proxy_url: http://, https:// or socks5://, with user:password@ if needed.
            proxy_pool: A proxy pool of the service. proxy_url takes precedence.
            proxy_country: ISO 3166-1 alpha-2, such as DE; only with proxy_pool.
            seed_kind: Follow links from url, or crawl the URLs of its sitemap (an origin means
                /sitemap.xml).
            urls: Further URLs to crawl besides url, each of the same site as url, together at most
                2,000,000 characters. They come before URLs that pages link to, and trap guards do
                not exclude them. Not with seed_kind sitemap.
            follow_links: False: crawl only url and urls, and follow no links. Redirects are
                followed.
            include_paths: RE2 patterns, searched in path and query: only URLs that match one are
                crawled. They share one complexity budget with exclude_paths: patterns that exceed
                it together are rejected (bad_regex), and a crawl that spends too much time on them
                ends with stop_reason pattern_time.
            exclude_paths: RE2 patterns: URLs that match one are skipped, even if include_paths
                matches.
            ignore_selectors: CSS selectors of elements that do not count when pages are compared:
                clocks, advertisements, counters. They apply to the comparison of crawls, to
                monitors and to the comparison by lines. Stored pages and content_hash stay as they
                are.
            only_selectors: CSS selectors: if there are any, only these elements count when pages
                are compared, without title and metadata.
            ignore_text: RE2 patterns: the parts of each line of text, link and statement that match
                do not count when pages are compared. They share the complexity budget of
                include_paths and exclude_paths (bad_regex).
            min_changed_words: A page counts as changed only if at least this many words of its text
                were added or removed; a replaced word counts once. Needs stored bodies. A different
                status always counts.
            max_age_seconds: Return an earlier crawl of the same URL and settings if it ended as
                done within this number of seconds. delay_ms, concurrency and the webhook fields may
                differ, as they do not affect the result. An earlier crawl that is returned sends no
                webhook.
            aggressive: Agency tier and above: delay_ms 0, concurrency 32, respect_robots false. Not
                with cron.
            trap_guards: Skip URLs that look like part of an endless series, such as a calendar.
            render: Run scripts: auto renders pages that are empty without scripts, always renders
                every page. A rendered page costs one cloud page instead of one page. Not with a
                proxy.
            screenshots: Store a screenshot of each rendered page, for GET
                /v1/pages/{id}/screenshot. It needs render, and adds nothing to the price of a
                rendered page.
            login: Logs in with a browser before the first page. The cookies are kept encrypted
                until the crawl ends, and sent only to hosts of the crawl. If the login fails, the
                crawl fails with error_reason login_failed; if it is lost later, with logged_out.
                Not with a proxy.
            conditional: Monitors only: send conditional requests (ETag, Last-Modified) based on the
                previous crawl. False fetches all pages each time.
            intent: Monitors only: the change to wait for. The language model of this installation
                judges the changes of each crawl by it, and the webhook has the judgement as
                `intent`. Requires the consent of the project (`PUT /v1/model-consent`).
            only_matching: Monitors with intent: no webhook if nothing has changed, or if the
                changes do not match. It is still sent if that is unknown.
            timezone: Monitors only: IANA time zone of cron, such as Europe/Berlin; UTC by default.
                When the clock changes, no due time is left out and none is due twice: a skipped
                time is due one hour later, a repeated one the first time.
            idempotency_key: A key of your own; by default a new one for each call.
            timeout: Seconds to wait for the service. Default: the timeout of the client.
        """
        call = Call(
            "POST",
            "/v1/crawls",
            body={
                "url": url,
                "max_pages": max_pages,
                "max_cost_usd": max_cost_usd,
                "max_bytes": max_bytes,
                "depth": depth,
                "concurrency": concurrency,
                "delay_ms": delay_ms,
                "subdomains": subdomains,
                "respect_robots": respect_robots,
                "store_html": store_html,
                "headers": headers,
                "cookies": cookies,
                "webhook_url": webhook_url,
                "webhook_events": webhook_events,
                "user_agent": user_agent,
                "proxy_url": proxy_url,
                "proxy_pool": proxy_pool,
                "proxy_country": proxy_country,
                "seed_kind": seed_kind,
                "urls": urls,
                "follow_links": follow_links,
                "include_paths": include_paths,
                "exclude_paths": exclude_paths,
                "ignore_selectors": ignore_selectors,
                "only_selectors": only_selectors,
                "ignore_text": ignore_text,
                "min_changed_words": min_changed_words,
                "max_age_seconds": max_age_seconds,
                "aggressive": aggressive,
                "trap_guards": trap_guards,
                "render": render,
                "screenshots": screenshots,
                "login": login,
                "conditional": conditional,
                "intent": intent,
                "only_matching": only_matching,
                "timezone": timezone,
            },
            keyed=True,
            idempotency_key=idempotency_key,
            timeout=timeout,
        )
        return cast("types.CrawlAccepted", await self._transport.send(call))

    def list(
        self,
        *,
        limit: Optional[int] = None,
        offset: Optional[int] = None,
        before: Optional[int] = None,
        status: Optional[Literal["queued", "running", "done", "failed", "cancelled"]] = None,
        fields: Optional[str] = None,
        known: Optional[types.RunList] = None,
        timeout: Optional[float] = None,
    ) -> AsyncListing[types.Run, types.RunList]:
        """List crawls.

        Lists all crawls that are not deleted, newest first. Continue with `before`: with `offset` a
        row may appear twice if crawls start meanwhile, and be missed if crawls are deleted.

        Args:
            limit: Maximum number of items.
            offset: Number of items to skip: 0, or `next_offset` of the previous page.
            before: Only items with a smaller id: the id of the last item that you have, instead of
                `offset`. Unlike an offset it neither repeats nor skips items when others are added
                or deleted meanwhile.
            status: Only crawls with this status.
            fields: Further fields of each crawl, as a comma-separated list: ai_bot_policy. Without
                it they are null in lists, because each has dozens of bots.
            known: An earlier response, which is returned again if nothing has changed.
            timeout: Seconds to wait for the service. Default: the timeout of the client.
        """
        call = Call(
            "GET",
            "/v1/crawls",
            query={
                "limit": limit,
                "offset": offset,
                "before": before,
                "status": status,
                "fields": fields,
            },
            known=known,
            timeout=timeout,
        )
        return AsyncListing[types.Run, types.RunList](self._transport, call, "items")

    async def fork(
        self,
        id: int,
        *,
        max_pages: Optional[int] = None,
        max_cost_usd: Union[Optional[float], Omitted] = OMITTED,
        max_bytes: Union[Optional[int], Omitted] = OMITTED,
        depth: Optional[int] = None,
        concurrency: Union[Optional[int], Omitted] = OMITTED,
        delay_ms: Optional[int] = None,
        subdomains: Optional[bool] = None,
        urls: Optional[Sequence[str]] = None,
        follow_links: Optional[bool] = None,
        include_paths: Optional[Sequence[str]] = None,
        exclude_paths: Optional[Sequence[str]] = None,
        trap_guards: Optional[bool] = None,
        ignore_selectors: Optional[Sequence[str]] = None,
        only_selectors: Optional[Sequence[str]] = None,
        ignore_text: Optional[Sequence[str]] = None,
        min_changed_words: Union[Optional[int], Omitted] = OMITTED,
        webhook_url: Union[Optional[str], Omitted] = OMITTED,
        webhook_events: Optional[Sequence[Literal["crawl.done", "crawl.diff_detected", "crawl.started", "page.fetched", "crawl.failed"]]] = None,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> types.CrawlAccepted:
        """Start a crawl from the pages of another one.

        Starts a new crawl of the same URL with other limits or patterns. Fields that are left out
        keep the value of the forked crawl, including headers, cookies and login. Each page that the
        forked crawl has is taken from the store: it is not requested again, costs nothing, and
        counts towards max_pages only. All other URLs are fetched and billed, also those that
        failed, redirected or returned a challenge. The links of all pages are judged by the new
        settings.

        Args:
            id: The crawl.
            max_pages: Maximum number of pages. The crawl ends when it has that many.
            max_cost_usd: Maximum cost in US dollars: the crawl never bills more. It must cover at
                least one page: a page costs 0.001, a rendered page 0.01. Each page in flight
                reserves its price, with render its highest one. When the remaining amount does not
                cover another page, the crawl ends with stop_reason max_cost_usd. null: none.
            max_bytes: Maximum bytes of all pages together, each with the size of its decoded body.
                Pages that the site did not send again (304) count nothing, nor do robots.txt,
                sitemaps and failed requests. Each page in flight reserves bytes. When a page does
                not fit into the rest, the crawl ends with stop_reason max_bytes. null: none.
            depth: Maximum number of links from the seed to a page.
            concurrency: Concurrent requests; automatic by default. Values above 64 are capped at
                64. null: none.
            delay_ms: Milliseconds between requests to one host.
            subdomains: Follow subdomains of the seed's host.
            urls: Further URLs to crawl besides url, each of the same site as url, together at most
                2,000,000 characters. They come before URLs that pages link to, and trap guards do
                not exclude them. Not with seed_kind sitemap.
            follow_links: False: crawl only url and urls, and follow no links. Redirects are
                followed.
            include_paths: RE2 patterns, searched in path and query: only URLs that match one are
                crawled. They share one complexity budget with exclude_paths: patterns that exceed
                it together are rejected (bad_regex), and a crawl that spends too much time on them
                ends with stop_reason pattern_time.
            exclude_paths: RE2 patterns: URLs that match one are skipped, even if include_paths
                matches.
            trap_guards: Skip URLs that look like part of an endless series, such as a calendar.
            ignore_selectors: CSS selectors of elements that do not count when pages are compared:
                clocks, advertisements, counters. They apply to the comparison of crawls, to
                monitors and to the comparison by lines. Stored pages and content_hash stay as they
                are.
            only_selectors: CSS selectors: if there are any, only these elements count when pages
                are compared, without title and metadata.
            ignore_text: RE2 patterns: the parts of each line of text, link and statement that match
                do not count when pages are compared. They share the complexity budget of
                include_paths and exclude_paths (bad_regex).
            min_changed_words: A page counts as changed only if at least this many words of its text
                were added or removed; a replaced word counts once. Needs stored bodies. A different
                status always counts. null: none.
            webhook_url: Receives a webhook when the crawl ends as done or failed. null: none.
            webhook_events: The events to send. crawl.started, page.fetched (in batches of at most
                100 pages) and crawl.failed are sent beside the webhook of the end.
            idempotency_key: A key of your own; by default a new one for each call.
            timeout: Seconds to wait for the service. Default: the timeout of the client.
        """
        call = Call(
            "POST",
            f"/v1/crawls/{segment(id)}/fork",
            body={
                "max_pages": max_pages,
                "max_cost_usd": max_cost_usd,
                "max_bytes": max_bytes,
                "depth": depth,
                "concurrency": concurrency,
                "delay_ms": delay_ms,
                "subdomains": subdomains,
                "urls": urls,
                "follow_links": follow_links,
                "include_paths": include_paths,
                "exclude_paths": exclude_paths,
                "trap_guards": trap_guards,
                "ignore_selectors": ignore_selectors,
                "only_selectors": only_selectors,
                "ignore_text": ignore_text,
                "min_changed_words": min_changed_words,
                "webhook_url": webhook_url,
                "webhook_events": webhook_events,
            },
            nullable=("max_cost_usd", "max_bytes", "concurrency", "min_changed_words", "webhook_url",),
            needs_body=False,
            keyed=True,
            idempotency_key=idempotency_key,
            timeout=timeout,
        )
        return cast("types.CrawlAccepted", await self._transport.send(call))

    async def get(
        self,
        id: int,
        *,
        as_of: Optional[str] = None,
        known: Optional[types.Run] = None,
        timeout: Optional[float] = None,
    ) -> types.Run:
        """Read a crawl.

        Poll every 2 to 5 seconds while the crawl is queued or running, or follow its events.

        Args:
            id: The crawl.
            as_of: A time in RFC 3339, not in the future: returns the crawl as it was then, from its
                events until that time. Absent: as it is now.
            known: An earlier response, which is returned again if nothing has changed.
            timeout: Seconds to wait for the service. Default: the timeout of the client.
        """
        call = Call(
            "GET",
            f"/v1/crawls/{segment(id)}",
            query={
                "as_of": as_of,
            },
            known=known,
            timeout=timeout,
        )
        return cast("types.Run", await self._transport.send(call))

    async def delete(
        self,
        id: int,
        *,
        timeout: Optional[float] = None,
    ) -> None:
        """Delete a crawl with all its pages.

        Works in every status. A running crawl is ended first. Billed pages stay billed.

        Args:
            id: The crawl.
            timeout: Seconds to wait for the service. Default: the timeout of the client.
        """
        call = Call(
            "DELETE",
            f"/v1/crawls/{segment(id)}",
            empty=True,
            timeout=timeout,
        )
        await self._transport.send(call)

    async def cancel(
        self,
        id: int,
        *,
        timeout: Optional[float] = None,
    ) -> types.Run:
        """Cancel a crawl and keep its pages.

        Stops fetching, and sends no webhook. A crawl that has ended is not changed.

        Args:
            id: The crawl.
            timeout: Seconds to wait for the service. Default: the timeout of the client.
        """
        call = Call(
            "POST",
            f"/v1/crawls/{segment(id)}/cancel",
            idempotent=True,
            timeout=timeout,
        )
        return cast("types.Run", await self._transport.send(call))

    async def pause(
        self,
        id: int,
        *,
        timeout: Optional[float] = None,
    ) -> types.Run:
        """Pause a crawl.

        Orders no further pages. Ordered pages still finish, within about eight seconds. The status
        stays running, and paused_at is set. A paused crawl keeps its slot among the concurrent
        crawls. Repeating it changes nothing.

        Args:
            id: The crawl.
            timeout: Seconds to wait for the service. Default: the timeout of the client.
        """
        call = Call(
            "POST",
            f"/v1/crawls/{segment(id)}/pause",
            idempotent=True,
            timeout=timeout,
        )
        return cast("types.Run", await self._transport.send(call))

    async def resume(
        self,
        id: int,
        *,
        timeout: Optional[float] = None,
    ) -> types.Run:
        """Resume a paused crawl.

        Continues where the crawl was paused. A crawl that is not paused is not changed.

        Args:
            id: The crawl.
            timeout: Seconds to wait for the service. Default: the timeout of the client.
        """
        call = Call(
            "POST",
            f"/v1/crawls/{segment(id)}/resume",
            idempotent=True,
            timeout=timeout,
        )
        return cast("types.Run", await self._transport.send(call))

    async def retry_failed(
        self,
        id: int,
        *,
        timeout: Optional[float] = None,
    ) -> types.RetriedRun:
        """Retry the failed URLs of a crawl that has ended.

        Fetches the URLs of `/errors` again, within the crawl: its status is running until the new
        end, which sends another webhook. Links of new pages are followed. Only fetched pages are
        billed. URLs beyond max_pages stay failed.

        Args:
            id: The crawl.
            timeout: Seconds to wait for the service. Default: the timeout of the client.
        """
        call = Call(
            "POST",
            f"/v1/crawls/{segment(id)}/retry-failed",
            timeout=timeout,
        )
        return cast("types.RetriedRun", await self._transport.send(call))

    async def coverage(
        self,
        id: int,
        *,
        as_of: Optional[str] = None,
        known: Optional[types.Coverage] = None,
        timeout: Optional[float] = None,
    ) -> types.Coverage:
        """Read the coverage of a crawl.

        Counts every URL that the crawl discovered by its outcome and reason.

        Args:
            id: The crawl.
            as_of: A time in RFC 3339, not in the future: returns the crawl as it was then, from its
                events until that time. Absent: as it is now.
            known: An earlier response, which is returned again if nothing has changed.
            timeout: Seconds to wait for the service. Default: the timeout of the client.
        """
        call = Call(
            "GET",
            f"/v1/crawls/{segment(id)}/coverage",
            query={
                "as_of": as_of,
            },
            known=known,
            timeout=timeout,
        )
        return cast("types.Coverage", await self._transport.send(call))

    def errors(
        self,
        id: int,
        *,
        limit: Optional[int] = None,
        offset: Optional[int] = None,
        as_of: Optional[str] = None,
        known: Optional[types.RunErrorList] = None,
        timeout: Optional[float] = None,
    ) -> AsyncListing[types.RunError, types.RunErrorList]:
        """List the failed URLs of a crawl.

        URLs that got no HTTP response. A 404 is a response, so it is listed as a page.

        For CSV or NDJSON, send `format` with `client.request`.

        Args:
            id: The crawl.
            limit: Maximum number of items.
            offset: Number of items to skip: 0, or `next_offset` of the previous page.
            as_of: A time in RFC 3339, not in the future: returns the crawl as it was then, from its
                events until that time. Absent: as it is now.
            known: An earlier response, which is returned again if nothing has changed.
            timeout: Seconds to wait for the service. Default: the timeout of the client.
        """
        call = Call(
            "GET",
            f"/v1/crawls/{segment(id)}/errors",
            query={
                "limit": limit,
                "offset": offset,
                "as_of": as_of,
            },
            known=known,
            timeout=timeout,
        )
        return AsyncListing[types.RunError, types.RunErrorList](self._transport, call, "items")

    async def explain(
        self,
        id: int,
        url: str,
        *,
        known: Optional[types.Explanation] = None,
        timeout: Optional[float] = None,
    ) -> types.Explanation:
        """Explain what a crawl did with a URL.

        Lists every rule in the order of evaluation. A URL that the crawl never found is judged as
        if the seed linked to it.

        Args:
            id: The crawl.
            url: The URL, in any spelling.
            known: An earlier response, which is returned again if nothing has changed.
            timeout: Seconds to wait for the service. Default: the timeout of the client.
        """
        call = Call(
            "GET",
            f"/v1/crawls/{segment(id)}/explain",
            query={
                "url": url,
            },
            known=known,
            timeout=timeout,
        )
        return cast("types.Explanation", await self._transport.send(call))

    async def estimate(
        self,
        url: str,
        *,
        max_pages: Optional[int] = None,
        max_cost_usd: Optional[float] = None,
        max_bytes: Optional[int] = None,
        depth: Optional[int] = None,
        concurrency: Optional[int] = None,
        delay_ms: Optional[int] = None,
        subdomains: Optional[bool] = None,
        respect_robots: Optional[bool] = None,
        store_html: Optional[bool] = None,
        headers: Optional[Mapping[str, str]] = None,
        cookies: Optional[str] = None,
        webhook_url: Optional[str] = None,
        webhook_events: Optional[Sequence[Literal["crawl.done", "crawl.diff_detected", "crawl.started", "page.fetched", "crawl.failed"]]] = None,
        return_only_changed: Optional[bool] = None,
        user_agent: Optional[str] = None,
        proxy_url: Optional[str] = None,
        proxy_pool: Optional[Literal["datacenter", "isp", "residential", "mobile"]] = None,
        proxy_country: Optional[str] = None,
        seed_kind: Optional[Literal["url", "sitemap"]] = None,
        urls: Optional[Sequence[str]] = None,
        follow_links: Optional[bool] = None,
        include_paths: Optional[Sequence[str]] = None,
        exclude_paths: Optional[Sequence[str]] = None,
        ignore_selectors: Optional[Sequence[str]] = None,
        only_selectors: Optional[Sequence[str]] = None,
        ignore_text: Optional[Sequence[str]] = None,
        min_changed_words: Optional[int] = None,
        max_age_seconds: Optional[int] = None,
        aggressive: Optional[bool] = None,
        trap_guards: Optional[bool] = None,
        render: Optional[Literal["none", "auto", "always"]] = None,
        screenshots: Optional[bool] = None,
        login: Optional[types.CrawlLogin] = None,
        conditional: Optional[bool] = None,
        cron: Optional[str] = None,
        intent: Optional[str] = None,
        only_matching: Optional[bool] = None,
        timezone: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> types.CrawlEstimate:
        """Estimate a crawl.

        Takes the body of `POST /v1/crawls` and predicts pages, duration and cost without starting a
        crawl. Sends at most 20 requests to the site, and stores nothing. Nothing is billed.

        Args:
            url: The URL where the crawl starts; http:// or https://.
            max_pages: Maximum number of pages. The crawl ends when it has that many.
            max_cost_usd: Maximum cost in US dollars: the crawl never bills more. It must cover at
                least one page: a page costs 0.001, a rendered page 0.01. Each page in flight
                reserves its price, with render its highest one. When the remaining amount does not
                cover another page, the crawl ends with stop_reason max_cost_usd.
            max_bytes: Maximum bytes of all pages together, each with the size of its decoded body.
                Pages that the site did not send again (304) count nothing, nor do robots.txt,
                sitemaps and failed requests. Each page in flight reserves bytes. When a page does
                not fit into the rest, the crawl ends with stop_reason max_bytes.
            depth: Maximum number of links from the seed to a page.
            concurrency: Concurrent requests; automatic by default. Values above 64 are capped at
                64.
            delay_ms: Milliseconds between requests to one host.
            subdomains: Follow subdomains of the seed's host.
            respect_robots: Obey robots.txt, including Crawl-delay.
            store_html: Store bodies. Without them, pages have no html, markdown or articles.
            headers: Headers of every request to the seed's site. They are never sent to other
                sites. The product token of a User-Agent among them is public: robots.txt of the
                seed's site is matched by it, and GET /v1/crawls/{id}/policy returns it.
            cookies: Cookies for the seed's site, as "k=v; k=v".
            webhook_url: Receives a webhook when the crawl ends as done or failed.
            webhook_events: The events to send. crawl.started, page.fetched (in batches of at most
                100 pages) and crawl.failed are sent beside the webhook of the end.
            return_only_changed: Monitors only: send no webhook if no page has changed.
            user_agent: User-Agent of the crawl; robots.txt is then matched by its product token. If
                it is left out or begins with InternalCrawler/, the crawl uses the User-Agent of a
                browser.
            proxy_url: http://, https:// or socks5://, with user:password@ if needed.
            proxy_pool: A proxy pool of the service. proxy_url takes precedence.
            proxy_country: ISO 3166-1 alpha-2, such as DE; only with proxy_pool.
            seed_kind: Follow links from url, or crawl the URLs of its sitemap (an origin means
                /sitemap.xml).
            urls: Further URLs to crawl besides url, each of the same site as url, together at most
                2,000,000 characters. They come before URLs that pages link to, and trap guards do
                not exclude them. Not with seed_kind sitemap.
            follow_links: False: crawl only url and urls, and follow no links. Redirects are
                followed.
            include_paths: RE2 patterns, searched in path and query: only URLs that match one are
                crawled. They share one complexity budget with exclude_paths: patterns that exceed
                it together are rejected (bad_regex), and a crawl that spends too much time on them
                ends with stop_reason pattern_time.
            exclude_paths: RE2 patterns: URLs that match one are skipped, even if include_paths
                matches.
            ignore_selectors: CSS selectors of elements that do not count when pages are compared:
                clocks, advertisements, counters. They apply to the comparison of crawls, to
                monitors and to the comparison by lines. Stored pages and content_hash stay as they
                are.
            only_selectors: CSS selectors: if there are any, only these elements count when pages
                are compared, without title and metadata.
            ignore_text: RE2 patterns: the parts of each line of text, link and statement that match
                do not count when pages are compared. They share the complexity budget of
                include_paths and exclude_paths (bad_regex).
            min_changed_words: A page counts as changed only if at least this many words of its text
                were added or removed; a replaced word counts once. Needs stored bodies. A different
                status always counts.
            max_age_seconds: Return an earlier crawl of the same URL and settings if it ended as
                done within this number of seconds. delay_ms, concurrency and the webhook fields may
                differ, as they do not affect the result. An earlier crawl that is returned sends no
                webhook.
            aggressive: Agency tier and above: delay_ms 0, concurrency 32, respect_robots false. Not
                with cron.
            trap_guards: Skip URLs that look like part of an endless series, such as a calendar.
            render: Run scripts: auto renders pages that are empty without scripts, always renders
                every page. A rendered page costs one cloud page instead of one page. Not with a
                proxy.
            screenshots: Store a screenshot of each rendered page, for GET
                /v1/pages/{id}/screenshot. It needs render, and adds nothing to the price of a
                rendered page.
            login: Logs in with a browser before the first page. The cookies are kept encrypted
                until the crawl ends, and sent only to hosts of the crawl. If the login fails, the
                crawl fails with error_reason login_failed; if it is lost later, with logged_out.
                Not with a proxy.
            conditional: Monitors only: send conditional requests (ETag, Last-Modified) based on the
                previous crawl. False fetches all pages each time.
            cron: Creates a monitor: five fields of crontab(5), in the local time of timezone.
            intent: Monitors only: the change to wait for. The language model of this installation
                judges the changes of each crawl by it, and the webhook has the judgement as
                `intent`. Requires the consent of the project (`PUT /v1/model-consent`).
            only_matching: Monitors with intent: no webhook if nothing has changed, or if the
                changes do not match. It is still sent if that is unknown.
            timezone: Monitors only: IANA time zone of cron, such as Europe/Berlin; UTC by default.
                When the clock changes, no due time is left out and none is due twice: a skipped
                time is due one hour later, a repeated one the first time.
            timeout: Seconds to wait for the service. Default: the timeout of the client.
        """
        call = Call(
            "POST",
            "/v1/crawls/estimate",
            body={
                "url": url,
                "max_pages": max_pages,
                "max_cost_usd": max_cost_usd,
                "max_bytes": max_bytes,
                "depth": depth,
                "concurrency": concurrency,
                "delay_ms": delay_ms,
                "subdomains": subdomains,
                "respect_robots": respect_robots,
                "store_html": store_html,
                "headers": headers,
                "cookies": cookies,
                "webhook_url": webhook_url,
                "webhook_events": webhook_events,
                "return_only_changed": return_only_changed,
                "user_agent": user_agent,
                "proxy_url": proxy_url,
                "proxy_pool": proxy_pool,
                "proxy_country": proxy_country,
                "seed_kind": seed_kind,
                "urls": urls,
                "follow_links": follow_links,
                "include_paths": include_paths,
                "exclude_paths": exclude_paths,
                "ignore_selectors": ignore_selectors,
                "only_selectors": only_selectors,
                "ignore_text": ignore_text,
                "min_changed_words": min_changed_words,
                "max_age_seconds": max_age_seconds,
                "aggressive": aggressive,
                "trap_guards": trap_guards,
                "render": render,
                "screenshots": screenshots,
                "login": login,
                "conditional": conditional,
                "cron": cron,
                "intent": intent,
                "only_matching": only_matching,
                "timezone": timezone,
            },
            timeout=timeout,
        )
        return cast("types.CrawlEstimate", await self._transport.send(call))

    def replay(
        self,
        id: int,
        *,
        limit: Optional[int] = None,
        offset: Optional[int] = None,
        known: Optional[types.Replay] = None,
        timeout: Optional[float] = None,
    ) -> AsyncListing[types.ReplayedPage, types.Replay]:
        """Read a stored crawl again.

        Reads the stored bodies of a part of the pages again, like fetched ones, and returns the
        pages whose title, hashes, charset, metadata or links differ from what the crawl stored. It
        shows what a new version of the extractor changes. Nothing is fetched, stored or billed.

        Args:
            id: The crawl.
            limit: Maximum number of pages to read. A part ends earlier after some seconds of work;
                `next_offset` continues.
            offset: Number of pages to skip: 0, or `next_offset` of the previous part.
            known: An earlier response, which is returned again if nothing has changed.
            timeout: Seconds to wait for the service. Default: the timeout of the client.
        """
        call = Call(
            "GET",
            f"/v1/crawls/{segment(id)}/replay",
            query={
                "limit": limit,
                "offset": offset,
            },
            known=known,
            timeout=timeout,
        )
        return AsyncListing[types.ReplayedPage, types.Replay](self._transport, call, "items")

    def links(
        self,
        id: int,
        *,
        limit: Optional[int] = None,
        offset: Optional[int] = None,
        from_page_id: Optional[int] = None,
        to_url: Optional[str] = None,
        as_of: Optional[str] = None,
        known: Optional[types.LinkList] = None,
        timeout: Optional[float] = None,
    ) -> AsyncListing[types.LinkEdge, types.LinkList]:
        """List the links between the pages of a crawl.

        Read from the stored pages, as JSON, ndjson or csv, up to 100,000 links at once (`limit`).
        With ndjson and csv, `X-Next-Offset` is the offset of the next part. A crawl with
        `store_html: false` has none.

        For CSV or NDJSON, send `format` with `client.request`.

        Args:
            id: The crawl.
            limit: Maximum number of items.
            offset: Number of items to skip: 0, or `next_offset` of the previous page.
            from_page_id: Only links on this page.
            to_url: Only links to this URL, in any spelling.
            as_of: A time in RFC 3339, not in the future: returns the crawl as it was then, from its
                events until that time. Absent: as it is now.
            known: An earlier response, which is returned again if nothing has changed.
            timeout: Seconds to wait for the service. Default: the timeout of the client.
        """
        call = Call(
            "GET",
            f"/v1/crawls/{segment(id)}/links",
            query={
                "limit": limit,
                "offset": offset,
                "from_page_id": from_page_id,
                "to_url": to_url,
                "as_of": as_of,
            },
            known=known,
            timeout=timeout,
        )
        return AsyncListing[types.LinkEdge, types.LinkList](self._transport, call, "items")

    def orphans(
        self,
        id: int,
        *,
        as_of: Optional[str] = None,
        known: Optional[types.OrphanList] = None,
        timeout: Optional[float] = None,
    ) -> AsyncListing[types.OrphanListItemsItem, types.OrphanList]:
        """List the orphan pages of a crawl.

        Lists pages that no other page of the crawl links to. The seed is never listed. While the
        crawl runs, pages may be listed whose links were not read yet. Read from the stored pages: a
        crawl with `store_html: false` has none. Returns JSON, ndjson or csv, all pages at once.

        For CSV or NDJSON, send `format` with `client.request`.

        Args:
            id: The crawl.
            as_of: A time in RFC 3339, not in the future: returns the crawl as it was then, from its
                events until that time. Absent: as it is now.
            known: An earlier response, which is returned again if nothing has changed.
            timeout: Seconds to wait for the service. Default: the timeout of the client.
        """
        call = Call(
            "GET",
            f"/v1/crawls/{segment(id)}/orphans",
            query={
                "as_of": as_of,
            },
            known=known,
            timeout=timeout,
        )
        return AsyncListing[types.OrphanListItemsItem, types.OrphanList](self._transport, call, "items")

    async def export(
        self,
        id: int,
        format: Literal["jsonl", "markdown", "parquet", "warc", "wacz", "sitemap", "graph"],
        *,
        select: Optional[types.ExportSelection] = None,
        sink: Optional[types.ExportRequestSink] = None,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> types.Export:
        """Export the pages of a crawl as one file.

        The crawl must have ended. Returns at once: follow the export at `Location`. It survives
        restarts, and costs nothing but the tokens of embeddings. Send an `Idempotency-Key` so that
        a repeated request creates nothing twice.

        Args:
            id: The crawl.
            format: jsonl: a line per page. markdown: a ZIP with a file per page. parquet: tables of
                pages and links. warc, wacz: web archives. sitemap: XML sitemaps. graph: pages and
                their links.
            select: The selected pages, and choices of some formats.
            sink: The target of the file. Default: download. s3 needs endpoint, bucket and the
                access key.
            idempotency_key: A key of your own; by default a new one for each call.
            timeout: Seconds to wait for the service. Default: the timeout of the client.
        """
        call = Call(
            "POST",
            f"/v1/crawls/{segment(id)}/exports",
            body={
                "format": format,
                "select": select,
                "sink": sink,
            },
            keyed=True,
            idempotency_key=idempotency_key,
            timeout=timeout,
        )
        return cast("types.Export", await self._transport.send(call))

    def exports(
        self,
        id: int,
        *,
        limit: Optional[int] = None,
        offset: Optional[int] = None,
        known: Optional[types.ExportList] = None,
        timeout: Optional[float] = None,
    ) -> AsyncListing[types.Export, types.ExportList]:
        """List the exports of a crawl.

        Includes failed and expired exports. A deleted crawl has no exports.

        Args:
            id: The crawl.
            limit: Maximum number of items.
            offset: Number of items to skip: 0, or `next_offset` of the previous page.
            known: An earlier response, which is returned again if nothing has changed.
            timeout: Seconds to wait for the service. Default: the timeout of the client.
        """
        call = Call(
            "GET",
            f"/v1/crawls/{segment(id)}/exports",
            query={
                "limit": limit,
                "offset": offset,
            },
            known=known,
            timeout=timeout,
        )
        return AsyncListing[types.Export, types.ExportList](self._transport, call, "items", "id")

    async def evidence(
        self,
        id: int,
        *,
        known: Optional[types.Evidence] = None,
        timeout: Optional[float] = None,
    ) -> types.Evidence:
        """Read the signed evidence of a crawl.

        Signs the root of a Merkle tree over all stored pages of a crawl that has ended. With a
        time-stamp, the same evidence is returned each time. A crawl whose failed pages are retried
        has other evidence afterwards.

        Args:
            id: The crawl.
            known: An earlier response, which is returned again if nothing has changed.
            timeout: Seconds to wait for the service. Default: the timeout of the client.
        """
        call = Call(
            "GET",
            f"/v1/crawls/{segment(id)}/evidence",
            known=known,
            timeout=timeout,
        )
        return cast("types.Evidence", await self._transport.send(call))

    def evidence_leaves(
        self,
        id: int,
        *,
        limit: Optional[int] = None,
        offset: Optional[int] = None,
        known: Optional[types.EvidenceLeafList] = None,
        timeout: Optional[float] = None,
    ) -> AsyncListing[types.EvidenceLeaf, types.EvidenceLeafList]:
        """List the leaves of the evidence of a crawl.

        One leaf for each stored page, in the order of the tree. Each line of ndjson is, without its
        line break, the text that the tree hashes.

        For CSV or NDJSON, send `format` with `client.request`.

        Args:
            id: The crawl.
            limit: Maximum number of items.
            offset: Number of items to skip: 0, or `next_offset` of the previous page.
            known: An earlier response, which is returned again if nothing has changed.
            timeout: Seconds to wait for the service. Default: the timeout of the client.
        """
        call = Call(
            "GET",
            f"/v1/crawls/{segment(id)}/evidence/leaves",
            query={
                "limit": limit,
                "offset": offset,
            },
            known=known,
            timeout=timeout,
        )
        return AsyncListing[types.EvidenceLeaf, types.EvidenceLeafList](self._transport, call, "items")

    def policy(
        self,
        id: int,
        *,
        limit: Optional[int] = None,
        offset: Optional[int] = None,
        known: Optional[types.CrawlPolicy] = None,
        timeout: Optional[float] = None,
    ) -> AsyncListing[types.CrawlPolicyItemsItem, types.CrawlPolicy]:
        """Read how a crawl treated each host.

        For each host of a crawl that has ended: the robots.txt that it obeyed, the URLs that it did
        not request, the minimum delay, and the times between its pages.

        Args:
            id: The crawl.
            limit: Maximum number of items.
            offset: Number of items to skip: 0, or `next_offset` of the previous page.
            known: An earlier response, which is returned again if nothing has changed.
            timeout: Seconds to wait for the service. Default: the timeout of the client.
        """
        call = Call(
            "GET",
            f"/v1/crawls/{segment(id)}/policy",
            query={
                "limit": limit,
                "offset": offset,
            },
            known=known,
            timeout=timeout,
        )
        return AsyncListing[types.CrawlPolicyItemsItem, types.CrawlPolicy](self._transport, call, "items")

    async def diff(
        self,
        old_id: int,
        new_id: int,
        *,
        fields: Optional[Union[str, Sequence[str]]] = None,
        timeout: Optional[float] = None,
    ) -> types.RunDiff:
        """Compare the pages of two crawls.

        Compares `content_hash` and HTTP status of crawls in any status. If both crawls have the
        same `ignore_selectors`, `only_selectors` and `ignore_text`, only the parts that count by
        them are compared. HTTP errors count as responses: a page that was fine and returns 500 or
        403 is `changed`, and one that returns 404 or 410 is `removed`. Pages that one crawl could
        not read are not differences: they are listed separately, each with its cause. Every page of
        either crawl is in exactly one class, so `pages` is the sum of the other counts. With ndjson
        and csv, each row is one page that is not unchanged.

        For CSV or NDJSON, send `format` with `client.request`.

        Args:
            old_id: The older crawl.
            new_id: The newer crawl.
            fields: Further fields of changed pages to compare, as a comma-separated list: title,
                description, h1, canonical, robots, word_count, status, depth, inlinks.
            timeout: Seconds to wait for the service. Default: the timeout of the client.
        """
        call = Call(
            "GET",
            f"/v1/crawls/{segment(old_id)}/diff/{segment(new_id)}",
            query={
                "fields": fields,
            },
            timeout=timeout,
        )
        return cast("types.RunDiff", await self._transport.send(call))

    async def diff_page(
        self,
        old_id: int,
        new_id: int,
        url: str,
        *,
        mode: Optional[Literal["text", "markdown"]] = None,
        in_words: Optional[bool] = None,
        known: Optional[types.PageDiff] = None,
        timeout: Optional[float] = None,
    ) -> types.PageDiff:
        """Compare one page of two crawls line by line.

        Lines that replace each other are compared word by word too. The `ignore_selectors`,
        `only_selectors` and `ignore_text` of the newer crawl apply. Derived from the stored bodies:
        nothing is fetched, and no page is billed. `in_words` adds the change in words, whose tokens
        are a row of the ledger.

        Args:
            old_id: The older crawl.
            new_id: The newer crawl.
            url: The URL of the page, in any spelling.
            mode: The form of the page to compare.
            in_words: Add the change in words, by the language model of this installation. Requires
                the consent of the project (`PUT /v1/model-consent`). Without it, or without a
                model, `in_words` is null and a warning has the reason.
            known: An earlier response, which is returned again if nothing has changed.
            timeout: Seconds to wait for the service. Default: the timeout of the client.
        """
        call = Call(
            "GET",
            f"/v1/crawls/{segment(old_id)}/diff/{segment(new_id)}/page",
            query={
                "url": url,
                "mode": mode,
                "in_words": in_words,
            },
            known=known,
            timeout=timeout,
        )
        return cast("types.PageDiff", await self._transport.send(call))

    async def share(
        self,
        id: int,
        *,
        expires_in_hours: Optional[int] = None,
        timeout: Optional[float] = None,
    ) -> types.CrawlShare:
        """Share a crawl by a read-only address.

        Returns an address that opens the crawl in the console without a key: its pages, coverage,
        errors, links and changes, and nothing else of the project. It ends at `expires_at`, by
        `DELETE`, when the key that made it is revoked or expires, or when the crawl is deleted.
        Nothing is billed.

        Args:
            id: The crawl.
            expires_in_hours: Hours until the address ends.
            timeout: Seconds to wait for the service. Default: the timeout of the client.
        """
        call = Call(
            "POST",
            f"/v1/crawls/{segment(id)}/share",
            body={
                "expires_in_hours": expires_in_hours,
            },
            needs_body=False,
            timeout=timeout,
        )
        return cast("types.CrawlShare", await self._transport.send(call))

    async def end_shares(
        self,
        id: int,
        *,
        timeout: Optional[float] = None,
    ) -> None:
        """End all shares of a crawl.

        Ends every address of this crawl that was made until now, by any key of the project, also
        where it is open. Later addresses are not affected. A repetition changes nothing else.

        Args:
            id: The crawl.
            timeout: Seconds to wait for the service. Default: the timeout of the client.
        """
        call = Call(
            "DELETE",
            f"/v1/crawls/{segment(id)}/share",
            empty=True,
            timeout=timeout,
        )
        await self._transport.send(call)

    def deliveries(
        self,
        id: int,
        *,
        limit: Optional[int] = None,
        offset: Optional[int] = None,
        known: Optional[types.WebhookDeliveryList] = None,
        timeout: Optional[float] = None,
    ) -> AsyncListing[types.WebhookDelivery, types.WebhookDeliveryList]:
        """List the webhook deliveries of a crawl.

        Lists every delivery with its attempts, in the order in which they were decided. A crawl
        with a webhook has one delivery from its end on, and one for each crawl.started,
        crawl.failed and batch of page.fetched that it selects.

        Args:
            id: The crawl.
            limit: Maximum number of items.
            offset: Number of items to skip: 0, or `next_offset` of the previous page.
            known: An earlier response, which is returned again if nothing has changed.
            timeout: Seconds to wait for the service. Default: the timeout of the client.
        """
        call = Call(
            "GET",
            f"/v1/crawls/{segment(id)}/deliveries",
            query={
                "limit": limit,
                "offset": offset,
            },
            known=known,
            timeout=timeout,
        )
        return AsyncListing[types.WebhookDelivery, types.WebhookDeliveryList](self._transport, call, "items", "id")

    async def redeliver(
        self,
        id: int,
        delivery_id: str,
        *,
        timeout: Optional[float] = None,
    ) -> types.WebhookDelivery:
        """Redeliver a webhook.

        The delivery keeps its `webhook-id` and gets five new attempts, whether it was delivered or
        is dead.

        Args:
            id: The crawl.
            delivery_id: The `id` of the delivery, which is its `webhook-id`.
            timeout: Seconds to wait for the service. Default: the timeout of the client.
        """
        call = Call(
            "POST",
            f"/v1/crawls/{segment(id)}/deliveries/{segment(delivery_id)}/redeliver",
            timeout=timeout,
        )
        return cast("types.WebhookDelivery", await self._transport.send(call))


class AsyncMonitorsOperations(AsyncGroup):
    async def create(
        self,
        url: str,
        cron: str,
        *,
        max_pages: Optional[int] = None,
        max_cost_usd: Optional[float] = None,
        max_bytes: Optional[int] = None,
        depth: Optional[int] = None,
        concurrency: Optional[int] = None,
        delay_ms: Optional[int] = None,
        subdomains: Optional[bool] = None,
        respect_robots: Optional[bool] = None,
        store_html: Optional[bool] = None,
        headers: Optional[Mapping[str, str]] = None,
        cookies: Optional[str] = None,
        webhook_url: Optional[str] = None,
        webhook_events: Optional[Sequence[Literal["crawl.done", "crawl.diff_detected", "crawl.started", "page.fetched", "crawl.failed"]]] = None,
        return_only_changed: Optional[bool] = None,
        user_agent: Optional[str] = None,
        proxy_url: Optional[str] = None,
        proxy_pool: Optional[Literal["datacenter", "isp", "residential", "mobile"]] = None,
        proxy_country: Optional[str] = None,
        seed_kind: Optional[Literal["url", "sitemap"]] = None,
        urls: Optional[Sequence[str]] = None,
        follow_links: Optional[bool] = None,
        include_paths: Optional[Sequence[str]] = None,
        exclude_paths: Optional[Sequence[str]] = None,
        ignore_selectors: Optional[Sequence[str]] = None,
        only_selectors: Optional[Sequence[str]] = None,
        ignore_text: Optional[Sequence[str]] = None,
        min_changed_words: Optional[int] = None,
        max_age_seconds: Optional[int] = None,
        aggressive: Optional[bool] = None,
        trap_guards: Optional[bool] = None,
        render: Optional[Literal["none", "auto", "always"]] = None,
        screenshots: Optional[bool] = None,
        login: Optional[types.CrawlLogin] = None,
        conditional: Optional[bool] = None,
        intent: Optional[str] = None,
        only_matching: Optional[bool] = None,
        timezone: Optional[str] = None,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> types.MonitorAccepted:
        """Create a monitor.

        Returns at once. Follow the crawl at `Location`. Send an `Idempotency-Key` so that a
        repeated request starts nothing twice. A project may have five crawls queued or running.

        Args:
            url: The URL where the crawl starts; http:// or https://.
            max_pages: Maximum number of pages. The crawl ends when it has that many.
            max_cost_usd: Maximum cost in US dollars: the crawl never bills more. It must cover at
                least one page: a page costs 0.001, a rendered page 0.01. Each page in flight
                reserves its price, with render its highest one. When the remaining amount does not
                cover another page, the crawl ends with stop_reason max_cost_usd.
            max_bytes: Maximum bytes of all pages together, each with the size of its decoded body.
                Pages that the site did not send again (304) count nothing, nor do robots.txt,
                sitemaps and failed requests. Each page in flight reserves bytes. When a page does
                not fit into the rest, the crawl ends with stop_reason max_bytes.
            depth: Maximum number of links from the seed to a page.
            concurrency: Concurrent requests; automatic by default. Values above 64 are capped at
                64.
            delay_ms: Milliseconds between requests to one host.
            subdomains: Follow subdomains of the seed's host.
            respect_robots: Obey robots.txt, including Crawl-delay.
            store_html: Store bodies. Without them, pages have no html, markdown or articles.
            headers: Headers of every request to the seed's site. They are never sent to other
                sites. The product token of a User-Agent among them is public: robots.txt of the
                seed's site is matched by it, and GET /v1/crawls/{id}/policy returns it.
            cookies: Cookies for the seed's site, as "k=v; k=v".
            webhook_url: Receives a webhook when the crawl ends as done or failed.
            webhook_events: The events to send. crawl.started, page.fetched (in batches of at most
                100 pages) and crawl.failed are sent beside the webhook of the end.
            return_only_changed: Monitors only: send no webhook if no page has changed.
            user_agent: User-Agent of the crawl; robots.txt is then matched by its product token. If
                it is left out or begins with InternalCrawler/, the crawl uses the User-Agent of a
                browser.
            proxy_url: http://, https:// or socks5://, with user:password@ if needed.
            proxy_pool: A proxy pool of the service. proxy_url takes precedence.
            proxy_country: ISO 3166-1 alpha-2, such as DE; only with proxy_pool.
            seed_kind: Follow links from url, or crawl the URLs of its sitemap (an origin means
                /sitemap.xml).
            urls: Further URLs to crawl besides url, each of the same site as url, together at most
                2,000,000 characters. They come before URLs that pages link to, and trap guards do
                not exclude them. Not with seed_kind sitemap.
            follow_links: False: crawl only url and urls, and follow no links. Redirects are
                followed.
            include_paths: RE2 patterns, searched in path and query: only URLs that match one are
                crawled. They share one complexity budget with exclude_paths: patterns that exceed
                it together are rejected (bad_regex), and a crawl that spends too much time on them
                ends with stop_reason pattern_time.
            exclude_paths: RE2 patterns: URLs that match one are skipped, even if include_paths
                matches.
            ignore_selectors: CSS selectors of elements that do not count when pages are compared:
                clocks, advertisements, counters. They apply to the comparison of crawls, to
                monitors and to the comparison by lines. Stored pages and content_hash stay as they
                are.
            only_selectors: CSS selectors: if there are any, only these elements count when pages
                are compared, without title and metadata.
            ignore_text: RE2 patterns: the parts of each line of text, link and statement that match
                do not count when pages are compared. They share the complexity budget of
                include_paths and exclude_paths (bad_regex).
            min_changed_words: A page counts as changed only if at least this many words of its text
                were added or removed; a replaced word counts once. Needs stored bodies. A different
                status always counts.
            max_age_seconds: Return an earlier crawl of the same URL and settings if it ended as
                done within this number of seconds. delay_ms, concurrency and the webhook fields may
                differ, as they do not affect the result. An earlier crawl that is returned sends no
                webhook.
            aggressive: Agency tier and above: delay_ms 0, concurrency 32, respect_robots false. Not
                with cron.
            trap_guards: Skip URLs that look like part of an endless series, such as a calendar.
            render: Run scripts: auto renders pages that are empty without scripts, always renders
                every page. A rendered page costs one cloud page instead of one page. Not with a
                proxy.
            screenshots: Store a screenshot of each rendered page, for GET
                /v1/pages/{id}/screenshot. It needs render, and adds nothing to the price of a
                rendered page.
            login: Logs in with a browser before the first page. The cookies are kept encrypted
                until the crawl ends, and sent only to hosts of the crawl. If the login fails, the
                crawl fails with error_reason login_failed; if it is lost later, with logged_out.
                Not with a proxy.
            conditional: Monitors only: send conditional requests (ETag, Last-Modified) based on the
                previous crawl. False fetches all pages each time.
            cron: Creates a monitor: five fields of crontab(5), in the local time of timezone.
            intent: Monitors only: the change to wait for. The language model of this installation
                judges the changes of each crawl by it, and the webhook has the judgement as
                `intent`. Requires the consent of the project (`PUT /v1/model-consent`).
            only_matching: Monitors with intent: no webhook if nothing has changed, or if the
                changes do not match. It is still sent if that is unknown.
            timezone: Monitors only: IANA time zone of cron, such as Europe/Berlin; UTC by default.
                When the clock changes, no due time is left out and none is due twice: a skipped
                time is due one hour later, a repeated one the first time.
            idempotency_key: A key of your own; by default a new one for each call.
            timeout: Seconds to wait for the service. Default: the timeout of the client.
        """
        call = Call(
            "POST",
            "/v1/crawls",
            body={
                "url": url,
                "max_pages": max_pages,
                "max_cost_usd": max_cost_usd,
                "max_bytes": max_bytes,
                "depth": depth,
                "concurrency": concurrency,
                "delay_ms": delay_ms,
                "subdomains": subdomains,
                "respect_robots": respect_robots,
                "store_html": store_html,
                "headers": headers,
                "cookies": cookies,
                "webhook_url": webhook_url,
                "webhook_events": webhook_events,
                "return_only_changed": return_only_changed,
                "user_agent": user_agent,
                "proxy_url": proxy_url,
                "proxy_pool": proxy_pool,
                "proxy_country": proxy_country,
                "seed_kind": seed_kind,
                "urls": urls,
                "follow_links": follow_links,
                "include_paths": include_paths,
                "exclude_paths": exclude_paths,
                "ignore_selectors": ignore_selectors,
                "only_selectors": only_selectors,
                "ignore_text": ignore_text,
                "min_changed_words": min_changed_words,
                "max_age_seconds": max_age_seconds,
                "aggressive": aggressive,
                "trap_guards": trap_guards,
                "render": render,
                "screenshots": screenshots,
                "login": login,
                "conditional": conditional,
                "cron": cron,
                "intent": intent,
                "only_matching": only_matching,
                "timezone": timezone,
            },
            keyed=True,
            idempotency_key=idempotency_key,
            timeout=timeout,
        )
        return cast("types.MonitorAccepted", await self._transport.send(call))

    def list(
        self,
        *,
        known: Optional[types.MonitorList] = None,
        timeout: Optional[float] = None,
    ) -> AsyncListing[types.Monitor, types.MonitorList]:
        """List monitors.

        `POST /v1/crawls` with `cron` creates a monitor.

        Args:
            known: An earlier response, which is returned again if nothing has changed.
            timeout: Seconds to wait for the service. Default: the timeout of the client.
        """
        call = Call(
            "GET",
            "/v1/crons",
            known=known,
            timeout=timeout,
        )
        return AsyncListing[types.Monitor, types.MonitorList](self._transport, call, "items")

    async def get(
        self,
        id: int,
        *,
        known: Optional[types.Monitor] = None,
        timeout: Optional[float] = None,
    ) -> types.Monitor:
        """Read a monitor.

        Includes the outcome of its last crawl and the number of consecutive failures.
        `/v1/crons/{id}/runs` lists each of them.

        Args:
            id: The monitor.
            known: An earlier response, which is returned again if nothing has changed.
            timeout: Seconds to wait for the service. Default: the timeout of the client.
        """
        call = Call(
            "GET",
            f"/v1/crons/{segment(id)}",
            known=known,
            timeout=timeout,
        )
        return cast("types.Monitor", await self._transport.send(call))

    async def change(
        self,
        id: int,
        *,
        schedule: Optional[str] = None,
        timezone: Optional[str] = None,
        enabled: Optional[bool] = None,
        webhook_url: Union[Optional[str], Omitted] = OMITTED,
        webhook_events: Optional[Sequence[Literal["crawl.done", "crawl.diff_detected", "crawl.started", "page.fetched", "crawl.failed"]]] = None,
        return_only_changed: Optional[bool] = None,
        intent: Union[Optional[str], Omitted] = OMITTED,
        only_matching: Optional[bool] = None,
        timeout: Optional[float] = None,
    ) -> types.Monitor:
        """Change a monitor.

        Send at least one field. Fields that are not sent keep their values.

        Args:
            id: The monitor.
            schedule: Five fields of crontab(5), in the local time of timezone.
            timezone: IANA time zone of the schedule, such as Europe/Berlin.
            enabled: False: the monitor starts no crawls until it is enabled again.
            webhook_url: Receives the webhooks of its crawls from now on; null: removes it, and
                resets webhook_events and return_only_changed to their defaults.
            webhook_events: The events to send from the next crawl on; []: only failures. Only with
                a webhook_url.
            return_only_changed: True: no webhook for crawls without changes. Only with a
                webhook_url.
            intent: The change to wait for from the next crawl on, judged by the language model;
                null: removes it and only_matching.
            only_matching: True: no webhook for changes that do not match. Only with an intent.
            timeout: Seconds to wait for the service. Default: the timeout of the client.
        """
        call = Call(
            "PATCH",
            f"/v1/crons/{segment(id)}",
            body={
                "schedule": schedule,
                "timezone": timezone,
                "enabled": enabled,
                "webhook_url": webhook_url,
                "webhook_events": webhook_events,
                "return_only_changed": return_only_changed,
                "intent": intent,
                "only_matching": only_matching,
            },
            nullable=("webhook_url", "intent",),
            needs_body=False,
            timeout=timeout,
        )
        return cast("types.Monitor", await self._transport.send(call))

    async def delete(
        self,
        id: int,
        *,
        timeout: Optional[float] = None,
    ) -> None:
        """Delete a monitor.

        The monitor starts no more crawls. Crawls that it has started continue and are kept.

        Args:
            id: The monitor.
            timeout: Seconds to wait for the service. Default: the timeout of the client.
        """
        call = Call(
            "DELETE",
            f"/v1/crons/{segment(id)}",
            empty=True,
            timeout=timeout,
        )
        await self._transport.send(call)

    def runs(
        self,
        id: int,
        *,
        limit: Optional[int] = None,
        offset: Optional[int] = None,
        known: Optional[types.MonitorRunList] = None,
        timeout: Optional[float] = None,
    ) -> AsyncListing[types.MonitorRun, types.MonitorRunList]:
        """List the runs of a monitor.

        Lists the scheduled times with the outcome of each: the crawl that it started, or the reason
        why it started none. Times that were missed during an outage are merged into one row. Manual
        crawls are listed too.

        Args:
            id: The monitor.
            limit: Maximum number of items.
            offset: Number of items to skip: 0, or `next_offset` of the previous page.
            known: An earlier response, which is returned again if nothing has changed.
            timeout: Seconds to wait for the service. Default: the timeout of the client.
        """
        call = Call(
            "GET",
            f"/v1/crons/{segment(id)}/runs",
            query={
                "limit": limit,
                "offset": offset,
            },
            known=known,
            timeout=timeout,
        )
        return AsyncListing[types.MonitorRun, types.MonitorRunList](self._transport, call, "items", "minute")

    async def run(
        self,
        id: int,
        *,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> types.CrawlAccepted:
        """Start a crawl of a monitor now.

        Starts a manual crawl without changing the schedule, even if the monitor is not enabled. The
        crawl is compared with the previous one and sends webhooks like any other crawl of the
        monitor. Send an `Idempotency-Key` so that a repeated request starts nothing twice.

        Args:
            id: The monitor.
            idempotency_key: A key of your own; by default a new one for each call.
            timeout: Seconds to wait for the service. Default: the timeout of the client.
        """
        call = Call(
            "POST",
            f"/v1/crons/{segment(id)}/run",
            keyed=True,
            idempotency_key=idempotency_key,
            timeout=timeout,
        )
        return cast("types.CrawlAccepted", await self._transport.send(call))


class AsyncPagesOperations(AsyncGroup):
    async def get(
        self,
        id: int,
        *,
        format: Optional[Literal["html", "markdown", "article", "both", "full", "signals"]] = None,
        only_main_content: Optional[bool] = None,
        article_format: Optional[Literal["html", "markdown"]] = None,
        chunk_max_tokens: Optional[int] = None,
        chunk_overlap: Optional[int] = None,
        known: Optional[types.Page] = None,
        timeout: Optional[float] = None,
    ) -> types.Page:
        """Read a page with its content.

        Derived from the stored body: nothing is fetched, and nothing is billed. For crawls with
        `store_html: false`, html and signals are null with a warning, and markdown and article are
        rejected.

        Args:
            id: The id of the page, unique across all crawls.
            format: html, markdown or article, each with metadata; both: all three; full: all three
                with signals; signals: signals alone.
            only_main_content: With `true`, Markdown of the main content only: without menus,
                headers, footers, lists of contents and banners. An article never has them.
            article_format: The form of an article beside its text: `article_html`, or with
                `markdown` `article_markdown`.
            chunk_max_tokens: Adds the Markdown as `chunks`. Maximum number of tokens of a chunk,
                counted with o200k_base.
            chunk_overlap: Maximum number of tokens that a chunk repeats from the one before in the
                same section. At most half of the maximum of a chunk. Default: 0.
            known: An earlier response, which is returned again if nothing has changed.
            timeout: Seconds to wait for the service. Default: the timeout of the client.
        """
        call = Call(
            "GET",
            f"/v1/pages/{segment(id)}",
            query={
                "format": format,
                "only_main_content": only_main_content,
                "article_format": article_format,
                "chunk_max_tokens": chunk_max_tokens,
                "chunk_overlap": chunk_overlap,
            },
            known=known,
            timeout=timeout,
        )
        return cast("types.Page", await self._transport.send(call))

    async def extract(
        self,
        id: int,
        schema: Mapping[str, Any],
        *,
        prompt: Optional[str] = None,
        model: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> types.PageExtraction:
        """Read values of a page by a JSON Schema.

        Fills the schema from the structured data, metadata, tables and definition lists of the
        stored body. `prompt` or `model` lets the language model of this installation fill the
        properties that are still null; its tokens are a row of the ledger. Nothing is fetched.
        Nothing is billed.

        Args:
            id: The id of the page, unique across all crawls.
            schema: JSON Schema (draft 2020-12) of an object. Values come from the structured data,
                metadata, tables and definition lists of the page, by the names of the properties.
                `x-selector` selects elements, `x-alias` adds names, `x-type` names the schema.org
                type of an item.
            prompt: Instruction for the language model of this installation, which then fills the
                properties that are still null. Requires the consent of the project (`PUT
                /v1/model-consent`). Without a model: 503 not_configured.
            model: Requests the language model without a prompt: `default`, or its name.
            timeout: Seconds to wait for the service. Default: the timeout of the client.
        """
        call = Call(
            "POST",
            f"/v1/pages/{segment(id)}/extract",
            body={
                "schema": schema,
                "prompt": prompt,
                "model": model,
            },
            timeout=timeout,
        )
        return cast("types.PageExtraction", await self._transport.send(call))

    async def evidence(
        self,
        id: int,
        *,
        known: Optional[types.PageEvidence] = None,
        timeout: Optional[float] = None,
    ) -> types.PageEvidence:
        """Read the proof that a page belongs to a crawl.

        The leaf of the page, its audit path, and the signed root. It verifies without the other
        pages of the crawl. For the proofs of many pages read the leaves.

        Args:
            id: The id of the page, unique across all crawls.
            known: An earlier response, which is returned again if nothing has changed.
            timeout: Seconds to wait for the service. Default: the timeout of the client.
        """
        call = Call(
            "GET",
            f"/v1/pages/{segment(id)}/evidence",
            known=known,
            timeout=timeout,
        )
        return cast("types.PageEvidence", await self._transport.send(call))


class AsyncExportsOperations(AsyncGroup):
    async def get(
        self,
        id: int,
        *,
        known: Optional[types.Export] = None,
        timeout: Optional[float] = None,
    ) -> types.Export:
        """Read an export, with the address of its file.

        Poll every 2 to 5 seconds until `status` is done or failed.

        Args:
            id: The export.
            known: An earlier response, which is returned again if nothing has changed.
            timeout: Seconds to wait for the service. Default: the timeout of the client.
        """
        call = Call(
            "GET",
            f"/v1/exports/{segment(id)}",
            known=known,
            timeout=timeout,
        )
        return cast("types.Export", await self._transport.send(call))

    async def delete(
        self,
        id: int,
        *,
        timeout: Optional[float] = None,
    ) -> types.DeletedExport:
        """Delete an export and its file.

        Works in every status. An object in your bucket stays.

        Args:
            id: The export.
            timeout: Seconds to wait for the service. Default: the timeout of the client.
        """
        call = Call(
            "DELETE",
            f"/v1/exports/{segment(id)}",
            timeout=timeout,
        )
        return cast("types.DeletedExport", await self._transport.send(call))


class AsyncBatchesOperations(AsyncGroup):
    async def request(
        self,
        urls: Sequence[str],
        *,
        concurrency: Optional[int] = None,
        metadata_only: Optional[bool] = None,
        max_age_seconds: Optional[int] = None,
        user_agent: Optional[str] = None,
        webhook_url: Optional[str] = None,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> types.Batch:
        """Read up to 10,000 pages without waiting.

        Returns at once: follow the batch at `Location`. It survives restarts. Its results are those
        of a bulk scan. Costs one page per scanned page. Send an `Idempotency-Key` so that a
        repeated request starts nothing twice.

        Args:
            urls: Up to 10,000 URLs. Each has its own result, even an invalid or repeated URL.
            concurrency: Concurrent requests, from 1 to 32. Other values are set to the nearest
                bound. At most four to one host.
            metadata_only: Leave out markdown and article.
            max_age_seconds: Use the newest page that a crawl or a scan of the project has stored if
                it is younger than this number of seconds. A page of a scan was requested by the
                same user_agent and cloud_mode.
            user_agent: User-Agent of the request. Default: that of a browser.
            webhook_url: Receiver of one signed `batch.done` when the batch is done. A cancelled
                batch sends none.
            idempotency_key: A key of your own; by default a new one for each call.
            timeout: Seconds to wait for the service. Default: the timeout of the client.
        """
        call = Call(
            "POST",
            "/v1/scan/batch",
            body={
                "urls": urls,
                "concurrency": concurrency,
                "metadata_only": metadata_only,
                "max_age_seconds": max_age_seconds,
                "user_agent": user_agent,
                "webhook_url": webhook_url,
            },
            keyed=True,
            idempotency_key=idempotency_key,
            timeout=timeout,
        )
        return cast("types.Batch", await self._transport.send(call))

    def list(
        self,
        *,
        limit: Optional[int] = None,
        offset: Optional[int] = None,
        before: Optional[int] = None,
        known: Optional[types.BatchList] = None,
        timeout: Optional[float] = None,
    ) -> AsyncListing[types.Batch, types.BatchList]:
        """List batches of scans.

        All batches that are not deleted, newest first.

        Args:
            limit: Maximum number of items.
            offset: Number of items to skip: 0, or `next_offset` of the previous page.
            before: Only items with a smaller id: the id of the last item that you have, instead of
                `offset`. Unlike an offset it neither repeats nor skips items when others are added
                or deleted meanwhile.
            known: An earlier response, which is returned again if nothing has changed.
            timeout: Seconds to wait for the service. Default: the timeout of the client.
        """
        call = Call(
            "GET",
            "/v1/scan/batches",
            query={
                "limit": limit,
                "offset": offset,
                "before": before,
            },
            known=known,
            timeout=timeout,
        )
        return AsyncListing[types.Batch, types.BatchList](self._transport, call, "items")

    async def get(
        self,
        id: int,
        *,
        known: Optional[types.Batch] = None,
        timeout: Optional[float] = None,
    ) -> types.Batch:
        """Read the progress of a batch.

        Poll every 2 to 5 seconds until `status` is done, or request a webhook.

        Args:
            id: The batch.
            known: An earlier response, which is returned again if nothing has changed.
            timeout: Seconds to wait for the service. Default: the timeout of the client.
        """
        call = Call(
            "GET",
            f"/v1/scan/batches/{segment(id)}",
            known=known,
            timeout=timeout,
        )
        return cast("types.Batch", await self._transport.send(call))

    async def delete(
        self,
        id: int,
        *,
        timeout: Optional[float] = None,
    ) -> types.DeletedBatch:
        """Delete a batch and its results.

        Cancels a batch that has not ended. Its bill stays.

        Args:
            id: The batch.
            timeout: Seconds to wait for the service. Default: the timeout of the client.
        """
        call = Call(
            "DELETE",
            f"/v1/scan/batches/{segment(id)}",
            timeout=timeout,
        )
        return cast("types.DeletedBatch", await self._transport.send(call))

    def results(
        self,
        id: int,
        *,
        limit: Optional[int] = None,
        offset: Optional[int] = None,
        timeout: Optional[float] = None,
    ) -> AsyncListing[Union[types.BatchResultsItemsItemOk, types.BatchResultsItemsItemNotOk], types.BatchResults]:
        """Read the results of a batch.

        The items of a bulk scan, with `index`, in the order of the request. While the batch runs,
        the list ends before the first URL without a result.

        For NDJSON, send `format` with `client.request`.

        Args:
            id: The batch.
            limit: Maximum number of items.
            offset: Number of items to skip: 0, or `next_offset` of the previous page.
            timeout: Seconds to wait for the service. Default: the timeout of the client.
        """
        call = Call(
            "GET",
            f"/v1/scan/batches/{segment(id)}/results",
            query={
                "limit": limit,
                "offset": offset,
            },
            timeout=timeout,
        )
        return AsyncListing[Union[types.BatchResultsItemsItemOk, types.BatchResultsItemsItemNotOk], types.BatchResults](self._transport, call, "items")

    async def cancel(
        self,
        id: int,
        *,
        timeout: Optional[float] = None,
    ) -> types.Batch:
        """Cancel a batch and keep its results.

        Reads no further page, and sends no webhook. A batch that has ended is not changed.

        Args:
            id: The batch.
            timeout: Seconds to wait for the service. Default: the timeout of the client.
        """
        call = Call(
            "POST",
            f"/v1/scan/batches/{segment(id)}/cancel",
            idempotent=True,
            timeout=timeout,
        )
        return cast("types.Batch", await self._transport.send(call))


class AsyncCloudOperations(AsyncGroup):
    async def scrape(
        self,
        url: str,
        *,
        return_format: Optional[Literal["markdown", "raw", "text", "commonmark"]] = None,
        chrome: Optional[bool] = None,
        force_backend: Optional[Literal["auto", "local", "vendor", "proxy"]] = None,
        proxy_pool: Optional[Literal["datacenter", "isp", "residential", "mobile"]] = None,
        proxy_country: Optional[str] = None,
        actions: Optional[Sequence[types.PageAction]] = None,
        timeout: Optional[float] = None,
    ) -> types.CloudPage:
        """Fetch a page with automatic fallback.

        Tries plain HTTP, then a client with the TLS fingerprint of a browser, a browser, proxies
        and a vendor, as far as they are configured, until one returns the page. `force_backend`
        selects a single one. Costs one cloud page per URL.

        Args:
            url: A public URL; http:// or https://.
            return_format: The format of `content`. markdown: with tables; raw: the document
                unchanged; text: as a reader sees it; commonmark: without any extension.
            chrome: Run the scripts of the page in a browser, and read the result.
            force_backend: auto tries the backends from the cheapest up until one returns the page
                without a challenge; local is this installation without proxies.
            proxy_pool: The kind of proxies to use.
            proxy_country: An ISO 3166-1 alpha-2 code: the country of the proxy.
            actions: Actions in the browser after the page has loaded and before it is read, in
                order; at most 20. Each waits up to 10 s for its element. If one fails, the request
                is 502 `fetch_failed` with the reason `action_failed` and its position, and costs
                nothing. Values are never stored or logged.
            timeout: Seconds to wait for the service. Default: the timeout of the client.
        """
        call = Call(
            "POST",
            "/v1/cloud/scrape",
            body={
                "url": url,
                "return_format": return_format,
                "chrome": chrome,
                "force_backend": force_backend,
                "proxy_pool": proxy_pool,
                "proxy_country": proxy_country,
                "actions": actions,
            },
            timeout=timeout,
        )
        return cast("types.CloudPage", await self._transport.send(call))

    async def unblock(
        self,
        url: str,
        *,
        return_format: Optional[Literal["markdown", "text", "raw"]] = None,
        country: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> types.CloudPage:
        """Fetch a page behind bot protection.

        Works like scrape, but skips plain HTTP. Costs one cloud page per URL.

        Args:
            url: A public URL; http:// or https://.
            return_format: The format of `content`. markdown: with tables; text: as a reader sees
                it; raw: the document unchanged.
            country: An ISO 3166-1 alpha-2 code: the country of the proxy.
            timeout: Seconds to wait for the service. Default: the timeout of the client.
        """
        call = Call(
            "POST",
            "/v1/cloud/unblock",
            body={
                "url": url,
                "return_format": return_format,
                "country": country,
            },
            timeout=timeout,
        )
        return cast("types.CloudPage", await self._transport.send(call))

    async def render(
        self,
        url: str,
        *,
        return_format: Optional[Literal["raw", "markdown", "text", "png"]] = None,
        wait_for: Optional[Literal["load", "domcontentloaded", "networkidle"]] = None,
        actions: Optional[Sequence[types.PageAction]] = None,
        timeout: Optional[float] = None,
    ) -> types.CloudPage:
        """Fetch a page rendered by a browser.

        Runs the scripts of the page. That can take a minute: wait at least 90 seconds. Clients that
        prefer `image/png` receive a screenshot as PNG. Costs one cloud page per URL.

        Args:
            url: A public URL; http:// or https://.
            return_format: The format of `content`. raw: the document unchanged; markdown: with
                tables; text: as a reader sees it; png: a screenshot of the page, of at most its
                first 20,000 pixels in height, base64-encoded.
            wait_for: The event that ends the loading of the page.
            actions: Actions in the browser after the page has loaded and before it is read, in
                order; at most 20. Each waits up to 10 s for its element. If one fails, the request
                is 502 `fetch_failed` with the reason `action_failed` and its position, and costs
                nothing. Values are never stored or logged.
            timeout: Seconds to wait for the service. Default: the timeout of the client.
        """
        call = Call(
            "POST",
            "/v1/cloud/render",
            body={
                "url": url,
                "return_format": return_format,
                "wait_for": wait_for,
                "actions": actions,
            },
            timeout=timeout,
        )
        return cast("types.CloudPage", await self._transport.send(call))

    async def screenshot(
        self,
        url: str,
        *,
        wait_for: Optional[Literal["load", "domcontentloaded", "networkidle"]] = None,
        actions: Optional[Sequence[types.PageAction]] = None,
        timeout: Optional[float] = None,
    ) -> types.CloudPage:
        """Take a screenshot of a page.

        Send `return_format` png to `POST /v1/cloud/render` instead. Costs one cloud page per URL.

        Args:
            url: A public URL; http:// or https://.
            wait_for: The event that ends the loading of the page.
            actions: Actions in the browser after the page has loaded and before it is read, in
                order; at most 20. Each waits up to 10 s for its element. If one fails, the request
                is 502 `fetch_failed` with the reason `action_failed` and its position, and costs
                nothing. Values are never stored or logged.
            timeout: Seconds to wait for the service. Default: the timeout of the client.
        """
        call = Call(
            "POST",
            "/v1/cloud/screenshot",
            body={
                "url": url,
                "wait_for": wait_for,
                "actions": actions,
            },
            timeout=timeout,
        )
        return cast("types.CloudPage", await self._transport.send(call))

    async def links(
        self,
        url: str,
        *,
        limit: Optional[int] = None,
        timeout: Optional[float] = None,
    ) -> types.CloudLinks:
        """List the links of one page.

        Lists the links on this page, not the links to it. Costs one cloud page per URL.

        Args:
            url: A public URL; http:// or https://.
            limit: Maximum number of URLs.
            timeout: Seconds to wait for the service. Default: the timeout of the client.
        """
        call = Call(
            "POST",
            "/v1/cloud/links",
            body={
                "url": url,
                "limit": limit,
            },
            timeout=timeout,
        )
        return cast("types.CloudLinks", await self._transport.send(call))

    async def proxy_fetch(
        self,
        url: str,
        *,
        pool: Optional[Literal["datacenter", "isp", "residential", "mobile"]] = None,
        country: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> types.CloudProxyFetched:
        """Fetch a page through a proxy.

        Returns the page as served, and runs no scripts. Costs one cloud page per URL. `cost_usd`
        adds the price of the bytes transferred.

        Args:
            url: A public URL; http:// or https://.
            pool: The kind of proxies to use.
            country: An ISO 3166-1 alpha-2 code: the country of the proxy.
            timeout: Seconds to wait for the service. Default: the timeout of the client.
        """
        call = Call(
            "POST",
            "/v1/cloud/proxy-fetch",
            body={
                "url": url,
                "pool": pool,
                "country": country,
            },
            timeout=timeout,
        )
        return cast("types.CloudProxyFetched", await self._transport.send(call))

    async def crawl(
        self,
        url: str,
        *,
        limit: Optional[int] = None,
        return_format: Optional[Literal["markdown", "raw", "text", "commonmark"]] = None,
        chrome: Optional[bool] = None,
        timeout: Optional[float] = None,
    ) -> types.CloudCrawl:
        """Crawl a small site while you wait.

        Crawls breadth first from `url`, on its host, as its robots.txt allows. After about two
        minutes it returns the pages found so far, with a warning. Costs one cloud page per crawled
        page.

        Args:
            url: A public URL; http:// or https://.
            limit: Maximum number of pages.
            return_format: The format of `content`. markdown: with tables; raw: the document
                unchanged; text: as a reader sees it; commonmark: without any extension.
            chrome: Run the scripts of the page in a browser, and read the result.
            timeout: Seconds to wait for the service. Default: the timeout of the client.
        """
        call = Call(
            "POST",
            "/v1/cloud/crawl",
            body={
                "url": url,
                "limit": limit,
                "return_format": return_format,
                "chrome": chrome,
            },
            timeout=timeout,
        )
        return cast("types.CloudCrawl", await self._transport.send(call))

    async def search(
        self,
        query: str,
        *,
        limit: Optional[int] = None,
        return_format: Optional[Literal["markdown", "raw", "text", "commonmark"]] = None,
        timeout: Optional[float] = None,
    ) -> types.CloudSearch:
        """Search the web and read the results.

        Uses the search engine that the installation configures. Pages are fetched as by scrape.
        Costs one cloud page per result.

        Args:
            query: The query, in the syntax of the search engine.
            limit: Maximum number of results.
            return_format: The format of `content`. markdown: with tables; raw: the document
                unchanged; text: as a reader sees it; commonmark: without any extension.
            timeout: Seconds to wait for the service. Default: the timeout of the client.
        """
        call = Call(
            "POST",
            "/v1/cloud/search",
            body={
                "query": query,
                "limit": limit,
                "return_format": return_format,
            },
            timeout=timeout,
        )
        return cast("types.CloudSearch", await self._transport.send(call))

    async def transform(
        self,
        data: str,
        *,
        input_kind: Optional[Literal["html", "pdf_base64"]] = None,
        return_format: Optional[Literal["markdown", "text", "raw"]] = None,
        readability: Optional[bool] = None,
        timeout: Optional[float] = None,
    ) -> types.CloudDocument:
        """Convert a document to another format.

        Accepts up to 28 MB of JSON. Nothing is fetched. Nothing is billed.

        Args:
            data: The document: HTML as text, PDF base64-encoded.
            input_kind: The format of `data`. PDF is rejected with 422 if the installation does not
                support it.
            return_format: The format of `content`. markdown: with tables; text: as a reader sees
                it; raw: the document unchanged.
            readability: The main content only.
            timeout: Seconds to wait for the service. Default: the timeout of the client.
        """
        call = Call(
            "POST",
            "/v1/cloud/transform",
            body={
                "data": data,
                "input_kind": input_kind,
                "return_format": return_format,
                "readability": readability,
            },
            timeout=timeout,
        )
        return cast("types.CloudDocument", await self._transport.send(call))

    def scrapers(
        self,
        *,
        page: Optional[int] = None,
        limit: Optional[int] = None,
        known: Optional[types.CloudScraperList] = None,
        timeout: Optional[float] = None,
    ) -> AsyncNumberedListing[types.CloudScraperListScrapersItem, types.CloudScraperList]:
        """List the available scrapers.

        Nothing is billed.

        Args:
            page: Number of the part of the list, counted from 1.
            limit: Number of scrapers per part.
            known: An earlier response, which is returned again if nothing has changed.
            timeout: Seconds to wait for the service. Default: the timeout of the client.
        """
        call = Call(
            "GET",
            "/v1/cloud/scrapers",
            query={
                "page": page,
                "limit": limit,
            },
            known=known,
            timeout=timeout,
        )
        return AsyncNumberedListing[types.CloudScraperListScrapersItem, types.CloudScraperList](self._transport, call, "scrapers")

    async def fetch(
        self,
        domain: str,
        *,
        params: Optional[Mapping[str, Any]] = None,
        timeout: Optional[float] = None,
    ) -> types.CloudData:
        """Read a site's first page into fields.

        `GET /v1/cloud/scrapers` lists the fields of each site. Costs one cloud page per URL.

        Args:
            domain: A domain of `GET /v1/cloud/scrapers` whose scraper reads a page without a path.
                Other domains return 422 with the paths that they read.
            params: Parameters beside the path. Each scraper documents its own.
            timeout: Seconds to wait for the service. Default: the timeout of the client.
        """
        call = Call(
            "POST",
            f"/v1/cloud/fetch/{segment(domain)}",
            body={
                "params": params,
            },
            needs_body=False,
            timeout=timeout,
        )
        return cast("types.CloudData", await self._transport.send(call))

    async def fetch_path(
        self,
        domain: str,
        path: str,
        *,
        params: Optional[Mapping[str, Any]] = None,
        timeout: Optional[float] = None,
    ) -> types.CloudData:
        """Read a page of a site into fields.

        The path may contain slashes. Costs one cloud page per URL.

        Args:
            domain: A domain of `GET /v1/cloud/scrapers`.
            path: A path of that scraper. It may contain slashes.
            params: Parameters beside the path. Each scraper documents its own.
            timeout: Seconds to wait for the service. Default: the timeout of the client.
        """
        call = Call(
            "POST",
            f"/v1/cloud/fetch/{segment(domain)}/{segments(path)}",
            body={
                "params": params,
            },
            needs_body=False,
            timeout=timeout,
        )
        return cast("types.CloudData", await self._transport.send(call))

    async def balance(
        self,
        *,
        known: Optional[types.CloudBalance] = None,
        timeout: Optional[float] = None,
    ) -> types.CloudBalance:
        """Read the vendor balance.

        The balance of the installation, not of the project. Nothing is billed.

        Args:
            known: An earlier response, which is returned again if nothing has changed.
            timeout: Seconds to wait for the service. Default: the timeout of the client.
        """
        call = Call(
            "GET",
            "/v1/cloud/balance",
            known=known,
            timeout=timeout,
        )
        return cast("types.CloudBalance", await self._transport.send(call))

    async def health(
        self,
        *,
        known: Optional[types.CloudHealth] = None,
        timeout: Optional[float] = None,
    ) -> types.CloudHealth:
        """Read the available backends and their cost.

        Covers the last 24 hours of the project, up to now. Nothing is billed.

        Args:
            known: An earlier response, which is returned again if nothing has changed.
            timeout: Seconds to wait for the service. Default: the timeout of the client.
        """
        call = Call(
            "GET",
            "/v1/health/cloud",
            known=known,
            timeout=timeout,
        )
        return cast("types.CloudHealth", await self._transport.send(call))


class AsyncActorsOperations(AsyncGroup):
    async def structured_data(
        self,
        url: str,
        *,
        on_progress: Optional[Callable[[Progress], None]] = None,
        timeout: Optional[float] = None,
    ) -> types.StructuredDataAnswer:
        """Extract the structured data of a page.

        Returns JSON-LD, microdata, RDFa, Open Graph, Dublin Core and microformats, and the errors
        in them. Costs one page per URL.

        Args:
            url: A public URL; http:// or https://.
            on_progress: Receives the progress of the work.
            timeout: Seconds to wait for the service. Default: the timeout of the client.
        """
        call = Call(
            "POST",
            "/v1/actors/structured-data",
            body={
                "url": url,
            },
            timeout=timeout,
        )
        return cast("types.StructuredDataAnswer", await self._transport.send_with_progress(call, on_progress))

    async def audit_onpage(
        self,
        url: str,
        *,
        on_progress: Optional[Callable[[Progress], None]] = None,
        timeout: Optional[float] = None,
    ) -> types.AuditOnpageAnswer:
        """Audit a page.

        Finds problems for search engines, people and answer engines in the page, its response and
        its site. Each rule names its source. Costs one page per URL.

        Args:
            url: A public URL; http:// or https://.
            on_progress: Receives the progress of the work.
            timeout: Seconds to wait for the service. Default: the timeout of the client.
        """
        call = Call(
            "POST",
            "/v1/actors/audit-onpage",
            body={
                "url": url,
            },
            timeout=timeout,
        )
        return cast("types.AuditOnpageAnswer", await self._transport.send_with_progress(call, on_progress))

    async def extract_article(
        self,
        url: str,
        *,
        format: Optional[Literal["markdown", "text"]] = None,
        include_comments: Optional[bool] = None,
        wpm: Optional[int] = None,
        on_progress: Optional[Callable[[Progress], None]] = None,
        timeout: Optional[float] = None,
    ) -> types.ExtractArticleAnswer:
        """Extract the article of a page.

        Returns the text without menus and other boilerplate, its authors, its dates and the reading
        time, and on request the comments of its readers. Costs one page per URL.

        Args:
            url: A public URL; http:// or https://.
            format: The format of `content`. markdown: with absolute links and images; text: with an
                empty line between paragraphs.
            include_comments: Add the comments of readers, separate from the article.
            wpm: Reading speed in words per minute. Default: 230.
            on_progress: Receives the progress of the work.
            timeout: Seconds to wait for the service. Default: the timeout of the client.
        """
        call = Call(
            "POST",
            "/v1/actors/extract-article",
            body={
                "url": url,
                "format": format,
                "include_comments": include_comments,
                "wpm": wpm,
            },
            timeout=timeout,
        )
        return cast("types.ExtractArticleAnswer", await self._transport.send_with_progress(call, on_progress))

    async def render_diff(
        self,
        url: str,
        *,
        on_progress: Optional[Callable[[Progress], None]] = None,
        timeout: Optional[float] = None,
    ) -> types.RenderDiffAnswer:
        """Compare a page before and after rendering.

        Compares the page as served with the page as rendered by a browser, and measures the share
        that is invisible to bots that run no scripts. That can take a minute: wait at least 90
        seconds. Costs one page per URL.

        Args:
            url: A public URL; http:// or https://.
            on_progress: Receives the progress of the work.
            timeout: Seconds to wait for the service. Default: the timeout of the client.
        """
        call = Call(
            "POST",
            "/v1/actors/render-diff",
            body={
                "url": url,
            },
            timeout=timeout,
        )
        return cast("types.RenderDiffAnswer", await self._transport.send_with_progress(call, on_progress))

    async def check_links(
        self,
        *,
        url: Optional[str] = None,
        urls: Optional[Sequence[str]] = None,
        cloud_retry: Optional[bool] = None,
        cloud_retry_mode: Optional[Literal["chrome", "proxy"]] = None,
        proxy_pool: Optional[Literal["datacenter", "isp", "residential", "mobile"]] = None,
        max_concurrent: Optional[int] = None,
        on_progress: Optional[Callable[[Progress], None]] = None,
        timeout: Optional[float] = None,
    ) -> types.CheckLinksAnswer:
        """Find broken links.

        Checks the links of one page, or a list of up to 200 links. Uses HEAD where it suffices,
        obeys robots.txt and limits the rate per host. Links that differ only in their fragment are
        one URL. Costs one page per requested URL, even if it could not be fetched or the site
        responded with a challenge for bots.

        Args:
            url: A page whose links are checked, up to 1000 of them.
            urls: Up to 200 links to check, instead of url. Duplicates are checked once.
            cloud_retry: Retry links that block this service with a cloud backend, at most 50. Costs
                one cloud page per URL retried by a cloud backend.
            cloud_retry_mode: Retry with a browser or a proxy.
            proxy_pool: Kind of the proxy for cloud_retry_mode proxy. Default: residential.
            max_concurrent: Concurrent requests, from 1 to 64. Other values are set to the nearest
                bound. At most four to one host.
            on_progress: Receives the progress of the work.
            timeout: Seconds to wait for the service. Default: the timeout of the client.
        """
        call = Call(
            "POST",
            "/v1/actors/check-links",
            body={
                "url": url,
                "urls": urls,
                "cloud_retry": cloud_retry,
                "cloud_retry_mode": cloud_retry_mode,
                "proxy_pool": proxy_pool,
                "max_concurrent": max_concurrent,
            },
            needs_body=False,
            long=True,
            timeout=timeout,
        )
        return cast("types.CheckLinksAnswer", await self._transport.send_with_progress(call, on_progress))

    async def sitemap_audit(
        self,
        url: str,
        *,
        max_urls: Optional[int] = None,
        dry_run: Optional[bool] = None,
        on_progress: Optional[Callable[[Progress], None]] = None,
        timeout: Optional[float] = None,
    ) -> types.SitemapAuditAnswer:
        """Probe the pages in the sitemaps of a site.

        Reads the sitemaps that robots.txt names, or `/sitemap.xml`, or the one at `url`. Sitemap
        indexes are followed one level. Each page is requested once, and no redirects are followed.
        The rate is ten pages a second, so large sites take long: follow the progress as server-sent
        events. Costs one page per requested URL, even if it could not be fetched or the site
        responded with a challenge for bots.

        Args:
            url: A public URL; http:// or https://.
            max_urls: Maximum number of pages to probe, in the order of the sitemaps.
            dry_run: Read the sitemaps and count their pages without probing any. Nothing is billed.
            on_progress: Receives the progress of the work.
            timeout: Seconds to wait for the service. Default: the timeout of the client.
        """
        call = Call(
            "POST",
            "/v1/actors/sitemap-audit",
            body={
                "url": url,
                "max_urls": max_urls,
                "dry_run": dry_run,
            },
            long=True,
            timeout=timeout,
        )
        return cast("types.SitemapAuditAnswer", await self._transport.send_with_progress(call, on_progress))

    async def internal_link_graph(
        self,
        crawl_id: int,
        *,
        top_n: Optional[int] = None,
        on_progress: Optional[Callable[[Progress], None]] = None,
        timeout: Optional[float] = None,
    ) -> types.LinkGraphAnswer:
        """Rank the pages of a crawl by its links.

        Returns PageRank, the pages with the most outgoing and incoming links, their link texts, and
        the pages that cannot be reached from the start. Reads the stored links of up to 100,000
        pages. Costs one page per call. A crawl with `store_html: false` has no links: its lists are
        empty, and nothing is billed.

        Args:
            crawl_id: A crawl of this project.
            top_n: Maximum number of entries in each list.
            on_progress: Receives the progress of the work.
            timeout: Seconds to wait for the service. Default: the timeout of the client.
        """
        call = Call(
            "POST",
            "/v1/actors/internal-link-graph",
            body={
                "crawl_id": crawl_id,
                "top_n": top_n,
            },
            timeout=timeout,
        )
        return cast("types.LinkGraphAnswer", await self._transport.send_with_progress(call, on_progress))

    async def audit_site(
        self,
        crawl_id: int,
        *,
        against: Optional[int] = None,
        examples: Optional[int] = None,
        on_progress: Optional[Callable[[Progress], None]] = None,
        timeout: Optional[float] = None,
    ) -> types.AuditSiteAnswer:
        """Audit all pages of a crawl.

        Applies the rules of audit-onpage to the stored pages of a crawl, and rules that only the
        whole site shows: duplicates, canonical chains, hreflang without return, broken links,
        redirect chains, orphans. Nothing is fetched again. Findings are grouped by rule; NDJSON and
        CSV list every finding with its page. With `against`, findings are compared with those of an
        earlier crawl. Audits up to 100,000 pages, for at most 11 minutes. Costs one page per call.
        A crawl with `store_html: false` has no stored pages, and nothing is billed.

        For CSV or NDJSON, send `format` with `client.request`.

        Args:
            crawl_id: A crawl of this project.
            against: An earlier crawl of this project. Its stored pages are audited too, and the
                findings of both are compared.
            examples: Maximum number of examples of each rule.
            on_progress: Receives the progress of the work.
            timeout: Seconds to wait for the service. Default: the timeout of the client.
        """
        call = Call(
            "POST",
            "/v1/actors/audit-site",
            body={
                "crawl_id": crawl_id,
                "against": against,
                "examples": examples,
            },
            long=True,
            timeout=timeout,
        )
        return cast("types.AuditSiteAnswer", await self._transport.send_with_progress(call, on_progress))


class AsyncWebhooksOperations(AsyncGroup):
    async def secret(
        self,
        *,
        timeout: Optional[float] = None,
    ) -> types.WebhookSecret:
        """Read the webhook secret.

        Creates the secret on the first request. All webhooks of the project share it.

        Args:
            timeout: Seconds to wait for the service. Default: the timeout of the client.
        """
        call = Call(
            "GET",
            "/v1/webhook/secret",
            timeout=timeout,
        )
        return cast("types.WebhookSecret", await self._transport.send(call))

    async def rotate_secret(
        self,
        *,
        grace_seconds: Optional[int] = None,
        timeout: Optional[float] = None,
    ) -> types.WebhookSecret:
        """Rotate the webhook secret.

        The earlier secrets stay valid for `grace_seconds`: `webhook-signature` then has one
        signature per secret, separated by spaces. `X-Crawler-Signature` uses the new secret at
        once.

        Args:
            grace_seconds: Seconds for which the earlier secrets sign beside the new one; 0 ends
                them at once.
            timeout: Seconds to wait for the service. Default: the timeout of the client.
        """
        call = Call(
            "POST",
            "/v1/webhook/secret/rotate",
            body={
                "grace_seconds": grace_seconds,
            },
            needs_body=False,
            timeout=timeout,
        )
        return cast("types.WebhookSecret", await self._transport.send(call))

    async def redeliver_dead(
        self,
        since: str,
        *,
        state: Optional[Literal["dead"]] = None,
        timeout: Optional[float] = None,
    ) -> types.RedeliveryStarted:
        """Redeliver dead webhooks since a time.

        Each delivery keeps its `webhook-id` and gets five new attempts. At most 1,000 per request,
        oldest first.

        Args:
            since: A time in RFC 3339: deliveries that ended before this time are skipped.
            state: The deliveries to repeat. Only dead ones are redelivered.
            timeout: Seconds to wait for the service. Default: the timeout of the client.
        """
        call = Call(
            "POST",
            "/v1/webhook/redeliver",
            body={
                "since": since,
                "state": state,
            },
            timeout=timeout,
        )
        return cast("types.RedeliveryStarted", await self._transport.send(call))

    async def test(
        self,
        url: str,
        *,
        timeout: Optional[float] = None,
    ) -> types.WebhookTestResult:
        """Send a test webhook.

        Sends a signed `crawl.done` with `id` 0 and `"test": true` once and at once. Returns the
        response of the receiver, which has 15 seconds.

        Args:
            url: The receiver.
            timeout: Seconds to wait for the service. Default: the timeout of the client.
        """
        call = Call(
            "POST",
            "/v1/webhook/test",
            body={
                "url": url,
            },
            timeout=timeout,
        )
        return cast("types.WebhookTestResult", await self._transport.send(call))


class AsyncKeysOperations(AsyncGroup):
    def list(
        self,
        *,
        timeout: Optional[float] = None,
    ) -> AsyncListing[types.ApiKey, types.ApiKeyList]:
        """List keys.

        Lists all keys of the project: valid, expired and revoked.

        Args:
            timeout: Seconds to wait for the service. Default: the timeout of the client.
        """
        call = Call(
            "GET",
            "/v1/keys",
            timeout=timeout,
        )
        return AsyncListing[types.ApiKey, types.ApiKeyList](self._transport, call, "items")

    async def rotate(
        self,
        *,
        label: Optional[str] = None,
        grace_seconds: Optional[int] = None,
        timeout: Optional[float] = None,
    ) -> types.RotatedKey:
        """Create a key.

        The existing keys stay valid for `grace_seconds`, so that programs can switch over. A key
        that the operator has restricted creates a key with the same restrictions, and expires only
        itself.

        Args:
            label: Label: the purpose of the key.
            grace_seconds: Seconds for which the existing keys stay valid beside the new one; 0 ends
                them at once.
            timeout: Seconds to wait for the service. Default: the timeout of the client.
        """
        call = Call(
            "POST",
            "/v1/keys/rotate",
            body={
                "label": label,
                "grace_seconds": grace_seconds,
            },
            needs_body=False,
            timeout=timeout,
        )
        return cast("types.RotatedKey", await self._transport.send(call))

    async def revoke(
        self,
        prefix: str,
        *,
        timeout: Optional[float] = None,
    ) -> None:
        """Revoke a key.

        Takes effect at once, permanently. The last valid key of a project cannot be revoked. A key
        that the operator has restricted can revoke only itself.

        Args:
            prefix: The first 12 characters of the key.
            timeout: Seconds to wait for the service. Default: the timeout of the client.
        """
        call = Call(
            "DELETE",
            f"/v1/keys/{segment(prefix)}",
            empty=True,
            timeout=timeout,
        )
        await self._transport.send(call)
