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
    default:
      return {
        reason,
        message: sentenceOf(reason, because) ?? `The seed could not be crawled: ${because ?? reason}.`,
      }
  }
}

function lineOf(run: Running, url: string, pattern: string): string {
  const agent = robotsAgentOf(run, url)
  const group = agent === null ? '' : ` for "User-agent: ${agent}"`
  return `"Disallow: ${pattern}"${group} in ${originOf(url)}/robots.txt`
}

const changing = (remedy: string): string => `Remedy: ${remedy.charAt(0).toLowerCase()}${remedy.slice(1)}`
