/** Whether the receipts of a run are true at every moment: what was discovered stands somewhere, and only once. */
import type { Coverage } from '@tidemark/contracts/http/coverage'
import { type History, only } from './history.ts'

/** What is wrong with the receipts of a run, in the order in which they were read; nothing when all are true. */
export function falseReceipts(history: History, run: number, pages: number): string[] {
  const receipts = only(history, 'receipt').flatMap(read => (read.run === run ? [read.receipt] : []))
  if (receipts.length === 0) return ['none that could be read']
  const last = receipts.slice(-1).filter(({ fetched }) => fetched !== pages)
  return [
    ...receipts.flatMap(wrongSums),
    ...receipts.slice(1).flatMap((receipt, n) => wrongTurns(receipts[n] ?? receipt, receipt)),
    ...last.map(({ fetched }) => `that end with ${fetched} pages for ${pages}`),
  ]
}

/** The sum is made here, from the reasons, and not believed. */
function wrongSums(receipt: Coverage): string[] {
  const { discovered, fetched, failed, skipped, duplicate, not_reached, pending, position } = receipt
  const { trap, ...reasons } = skipped.by_reason
  const ends = [failed.by_reason, reasons, trap, not_reached.by_limit].map(sumOf)
  const sum = ends.reduce((a, b) => a + b, fetched + duplicate + pending)
  const told = [failed.total, skipped.total, not_reached.total].reduce((a, b) => a + b)
  const isRight = sum === discovered && told === sum - fetched - duplicate - pending && receipt.holds
  return isRight ? [] : [`that sum up to ${sum} of ${discovered} at ${position}`]
}

/** What a run knows only grows, whoever tells it. */
function wrongTurns(before: Coverage, after: Coverage): string[] {
  const isRight =
    after.position >= before.position &&
    after.discovered >= before.discovered &&
    after.fetched >= before.fetched
  return isRight ? [] : [`that go back from ${before.position} to ${after.position}`]
}

const sumOf = (counts: Record<string, number>): number => Object.values(counts).reduce((a, b) => a + b, 0)
