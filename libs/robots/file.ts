/** The content of a robots.txt as plain data: it is part of events and is stored with the run. */

/** One rule; `pattern` stands as written in the file. The empty pattern is a rule that matches nothing. */
export type RobotsRule = { allow: boolean; pattern: string }

/** Rules and the product tokens they are for: in lower case, `*` for everybody. */
export type AgentGroup = {
  agents: string[]
  rules: RobotsRule[]
  /** Crawl delays. Each is only for the first `agents` names of the group, those that stood before it. */
  delays: { seconds: number; agents: number }[]
}

export type RobotsFile = { groups: AgentGroup[]; sitemaps: string[] }

/**
 * Rules for one crawler. `crawlDelay` is in seconds; null without one. `agent` is the name of the rules in lower case;
 * null if no group of the file applies to the crawler.
 */
export type RobotsGroup = { rules: RobotsRule[]; crawlDelay: number | null; agent?: string }
