/** Fetches one page plainly for an actor, and reads it as that wants it. */
import type { PageRead, ReadPageAs } from '@tidemark/contracts/ask/actors'
import { type AuditPorts, auditPage } from './audit-page.ts'
import { fetchAndSee } from './fetch-and-see.ts'

/** The handler throws the `Refusal` of `fetchAndSee`. */
export function readPageAs(ports: AuditPorts) {
  return async ({ reading, ...question }: ReadPageAs): Promise<PageRead> => {
    if (reading.as === 'audit') return auditPage(ports, question)
    const { costUsd: _, ...read } = await fetchAndSee(ports, { ...question, reading })
    return read
  }
}
