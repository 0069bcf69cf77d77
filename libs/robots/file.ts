/** The contents of a robots.txt as plain data, which is sent in events and stored with the run. */

/** A rule with its `pattern` as written in the file. The empty pattern matches nothing. */
export type RobotsRule = { allow: boolean; pattern: string }

/** Rules and the product tokens to which they apply: in lower case, `*` for all crawlers. */
export type AgentGroup = {
  agents: string[]
  rules: RobotsRule[]
  /** Crawl delays. Each applies only to the first `agents` names of the group, which are the names before it. */
  delays: { seconds: number; agents: number }[]
}

export type RobotsFile = { groups: AgentGroup[]; sitemaps: string[] }

/**
 * The rules for one crawler. `crawlDelay` is in seconds, or null if the file has no delay. `agent` is the name of the
 * group in lower case. It is missing if no group of the file applies to the crawler.
 */
export type RobotsGroup = { rules: RobotsRule[]; crawlDelay: number | null; agent?: string }
