/** All findings of an audit. Loading them is billed, so they are kept as long as the result of the audit itself. */
import { type Signal, signal } from '@preact/signals'
import { linesOf } from '@tidemark/sdk'
import { tidemark } from '../../data/client.ts'
import type { Rule } from './by-rule.tsx'

/** An example, or a line of NDJSON, which has no message. */
export type Found = {
  rule: string
  severity: Rule['severity']
  page_id: number
  url: string
  pagerank: number | null
  samples: readonly string[]
  count: number | null
  message?: string
}

export type Findings = {
  /** Null: only the examples are known. */
  all: Signal<readonly Found[] | null>
  isLoading: Signal<boolean>
  error: Signal<unknown>
  /** Loads all findings, which costs one page. Does nothing while another call loads them. */
  load: () => Promise<void>
}

type Body = { crawl_id: number; against?: number }

/** Milliseconds without data after which a call fails. An audit may work for 15 minutes before its first line. */
const silentMs = 15 * 60_000

const kept = new WeakMap<object, Findings>()

/** Returns the findings of the answer of an audit: the same ones for the same answer, also while they are loading. */
export function findingsOf(answer: object, body: Body): Findings {
  const findings = kept.get(answer) ?? newFindings(body)
  kept.set(answer, findings)
  return findings
}

function newFindings(body: Body): Findings {
  const all = signal<readonly Found[] | null>(null)
  const isLoading = signal(false)
  const error = signal<unknown>(null)
  const load = async () => {
    if (isLoading.value) return
    isLoading.value = true
    error.value = null
    try {
      all.value = await read(body)
    } catch (failure) {
      error.value = failure
    } finally {
      isLoading.value = false
    }
  }
  return { all, isLoading, error, load }
}

/** Reads one finding a line. Findings of the earlier crawl are not problems of this one. */
async function read(body: Body): Promise<Found[]> {
  const args = { body: { ...body, format: 'ndjson' } }
  const response = await tidemark.request('auditSite', args, 'application/x-ndjson', { timeout: silentMs })
  const found: Found[] = []
  for await (const line of linesOf(response)) {
    const finding: Found & { change: string | null } = JSON.parse(line)
    if (finding.change !== 'gone') found.push(finding)
  }
  return found
}
