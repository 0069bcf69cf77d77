/** What a robots.txt says, as plain data: it travels in events and is kept with the run. */

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
 * What one crawler has to keep. `crawlDelay` is in seconds, null when the file asks for none. `agent` is the name that
 * the rules stand under, in lower case; without it no group of the file is for the crawler.
 */
export type RobotsGroup = { rules: RobotsRule[]; crawlDelay: number | null; agent?: string }
