/** Fetches one page plainly for an actor, and reads it as that wants it. */
import type { PageRead, ReadPageAs } from '@tidemark/contracts/ask/actors'
import { type AuditPorts, auditPage } from './audit-page.ts'
import { fetchAndSee } from './fetch-and-see.ts'

/** The handler throws the `Refusal` of `fetchAndSee`. */
export function readPageAs(ports: AuditPorts) {
  return async ({ reading, ...question }: ReadPageAs): Promise<PageRead> => {
    const { costUsd: _, ...read } =
      reading.as === 'audit'
        ? await auditPage(ports, question)
        : await fetchAndSee(ports, { ...question, readingOf: () => reading })
    return read
  }
}
