/**
 * The record of how an ended crawl treated each host: the robots.txt that it obeyed, the URLs that it did not request, and
 * the times between its pages.
 */
import { type Static, Type } from 'typebox'
import { count, described, Id, oneOf, orNull, Sha256, Timestamp } from '../primitives.ts'
import { Coverage } from './coverage.ts'
import { nextOffset, warnings, windowOf } from './lists.ts'

/** Maximum number of rules in the response for a host. A run may keep 10,000. */
export const maxRulesShown = 100

const HostRobots = Type.Object(
  {
    verdict: oneOf(['rules', 'allow_all', 'disallow_all', 'unreachable'], {
      description:
        'The use of the file (RFC 9309, 2.3.1). rules: it was read. allow_all: 4xx. disallow_all: 5xx or 429. unreachable: no response, so everything is disallowed.',
    }),
    status: orNull(Type.Integer({ description: 'HTTP status of robots.txt; null: no response.' })),
    reason: orNull(
      Type.String({ description: 'Why it could not be read, such as timeout; null: a response came.' }),
    ),
    decided_at: described(Timestamp, 'Time at which the crawl applied it.'),
    body_hash: orNull(
      described(
        Sha256,
        'SHA-256 of the file, in hex, or of its first 512 KiB on the wire; null: it was not read.',
      ),
    ),
    agent: orNull(
      Type.String({ description: 'The user agent of the group that applied; null: no group matched.' }),
    ),
    crawl_delay: orNull(Type.Number({ description: 'Crawl-delay of the group in seconds; null: none.' })),
    rules: Type.Array(
      Type.Object({
        allow: Type.Boolean({ description: 'true: an Allow rule. false: a Disallow rule.' }),
        pattern: Type.String({ description: 'The path of the rule.' }),
      }),
      { description: `The rules of the group that applied, at most ${maxRulesShown}.` },
    ),
    rule_count: count('Number of rules of the group that the crawl kept.'),
  },
  { description: 'The robots.txt that the crawl obeyed last; null: it requested none.' },
)

/** The part of a host that the events of the run have. */
const ofEvents = {
  origin: Type.String({ description: 'Scheme, host and port, such as https://example.com.' }),
  robots: orNull(HostRobots),
  delay_ms: count('Minimum milliseconds between two requests: delay_ms, or a longer Crawl-delay.'),
  not_requested: Type.Object(
    {
      robots: count('URLs that robots.txt disallows.'),
      robots_unreachable: count(
        'URLs whose robots.txt could not be read. If the URL of the request is among them, /coverage counts it as failed.',
      ),
    },
    { description: 'URLs of the host that were found and not requested because of robots.txt.' },
  ),
}

export const HostFacts = Type.Object(ofEvents)
export type HostFacts = Static<typeof HostFacts>

const HostPages = Type.Object(
  {
    count: count('Number of stored pages of the host.'),
    first_at: orNull(described(Timestamp, 'fetched_at of the first page; null: no page.')),
    last_at: orNull(described(Timestamp, 'fetched_at of the last page; null: no page.')),
    smallest_gap_ms: orNull(
      count('Smallest time between two pages that follow each other; null: fewer than two pages.'),
    ),
    average_gap_ms: orNull(
      count('Average time between two pages that follow each other; null: fewer than two pages.'),
    ),
    gaps_below_delay: count('Number of these times that are below delay_ms.'),
    seconds: Type.Array(
      Type.Object({
        pages: Type.Integer({ minimum: 1, description: 'Pages in one second; 50 counts 50 and more.' }),
        seconds: Type.Integer({ minimum: 1, description: 'Number of seconds with this number of pages.' }),
      }),
      { description: 'Seconds of the clock in which pages were complete, by their number of pages.' },
    ),
  },
  { description: 'The times of the stored pages of the host, from fetched_at.' },
)
export type HostPages = Static<typeof HostPages>

export const CrawlPolicy = Type.Object(
  {
    run_id: described(Id, 'The crawl.'),
    respect_robots: Type.Boolean({ description: 'Whether the crawl obeyed robots.txt.' }),
    user_agent: orNull(
      Type.String({
        description:
          'user_agent of the request, or the product token of the User-Agent among its headers, by which robots.txt of the hosts that receive them is matched; null: that of the installation.',
      }),
    ),
    delay_ms: count('delay_ms of the request.'),
    ai_bot_policy: orNull(
      Type.Record(Type.String(), Type.String(), {
        description: 'The rules for AI bots in the robots.txt of the seed, by bot; null: it was not read.',
      }),
    ),
    has_llms_txt: Type.Boolean({ description: 'Whether the crawl read an llms.txt at the seed.' }),
    not_requested: Type.Object(
      {
        skipped: Coverage.properties.skipped,
        not_reached: Coverage.properties.not_reached,
        frontier_full: Coverage.properties.frontier_full,
        events_path: Type.String({
          description:
            'The path that returns these decisions with their URLs, as server-sent events. URLs that were pending at the end have no decision: see /explain.',
        }),
      },
      { description: 'URLs of all hosts that were found and not requested, by reason.' },
    ),
    items: Type.Array(Type.Object({ ...ofEvents, pages: HostPages }), {
      description: 'The hosts, in the order in which the crawl found them.',
    }),
    next_offset: nextOffset,
    warnings,
  },
  { $id: 'CrawlPolicy' },
)
export type CrawlPolicy = Static<typeof CrawlPolicy>

export const CrawlPolicyQuery = Type.Object(windowOf(100))
