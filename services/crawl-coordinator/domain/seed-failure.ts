/**
 * Explains why a run could not fetch its seed: a stable code for programs, and a sentence with the reason and the
 * remedy for people.
 */
import { tooCostly } from '@tidemark/robots/judge'
import { robotsAgentOf, unmatched } from './explain/because.ts'
import { bySkipped, ofCostlyRules } from './explain/remedies.ts'
import { sentenceOf } from './explain/sentences.ts'
import { originOf, type Running, type SeedFailure } from './run.ts'

export type Failure = { reason: string; message: string }

export function seedFailureOf(run: Running, { reason, because, url = run.url }: SeedFailure): Failure {
  switch (reason) {
    case 'robots': {
      if (because === tooCostly) {
        const message = `The seed ${url} may not be fetched. ${unmatched(url)}.`
        return { reason: 'robots_disallowed', message: `${message} ${changing(ofCostlyRules)}` }
      }
      const message = `robots.txt does not allow the seed ${url}: ${lineOf(run, url, because ?? '')}.`
      return { reason: 'robots_disallowed', message: `${message} ${changing(bySkipped.robots)}` }
    }
    case 'robots_unreachable': {
      const message = `The seed ${url} may not be fetched: ${because}.`
      return { reason, message: `${message} ${changing(bySkipped.robots_unreachable)}` }
    }
    case 'empty_sitemap': {
      const left = because ? ` It was read without ${because}.` : ''
      return { reason, message: `${sentenceOf(reason)}${left}` }
    }
    default: {
      const sentence = sentenceOf(reason, because)
      if (sentence === null)
        return { reason, message: `The seed could not be crawled: ${because ?? reason}.` }
      return { reason, message: isOfRobots(run, url, reason) ? ofUnreadRobots(url, sentence) : sentence }
    }
  }
}

/**
 * Returns the failure of a run that may fetch no URL of its sitemaps if robots.txt is the only reason, otherwise null.
 */
export function refusalOfList({ settings, states, tally }: Running): Failure | null {
  const { robots = 0, robots_unreachable: unreachable = 0 } = tally.skipped
  if (settings.seedKind !== 'sitemap' || states.size === 0 || states.size > robots + unreachable) return null
  if (robots === 0) {
    const message = 'No URL that the sitemap lists may be fetched, because robots.txt could not be read.'
    return { reason: 'robots_unreachable', message: `${message} ${changing(bySkipped.robots_unreachable)}` }
  }
  const message = 'robots.txt allows no URL that the sitemap lists.'
  return { reason: 'robots_disallowed', message: `${message} ${changing(bySkipped.robots)}` }
}

/** Reasons that concern the whole host: they hold for its seed as for its robots.txt. */
const ofHost = new Set(['dns', 'connect', 'tls', 'proxy', 'timeout', 'given_up'])

/**
 * Returns whether only robots.txt failed. The seed was not requested then and may respond well. A seed that is a
 * sitemap does not wait for robots.txt.
 */
const isOfRobots = ({ robots, settings }: Running, url: string, reason: string): boolean =>
  settings.seedKind !== 'sitemap' && robots.get(originOf(url))?.state === 'failed' && !ofHost.has(reason)

const ofUnreadRobots = (url: string, sentence: string): string =>
  `${originOf(url)}/robots.txt could not be read, so the seed was not requested. ${sentence} ${changing(bySkipped.robots_unreachable)}`

function lineOf(run: Running, url: string, pattern: string): string {
  const agent = robotsAgentOf(run, url)
  const group = agent === null ? '' : ` for "User-agent: ${agent}"`
  return `"Disallow: ${pattern}"${group} in ${originOf(url)}/robots.txt`
}

const changing = (remedy: string): string => `Remedy: ${remedy.charAt(0).toLowerCase()}${remedy.slice(1)}`
