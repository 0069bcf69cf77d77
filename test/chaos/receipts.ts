/** Checks that the receipts of a run are true at every moment: each discovered URL counts exactly once. */
import type { Coverage } from '@tidemark/contracts/http/coverage'
import { type History, only } from './history.ts'

/** Returns the faults of a run's receipts, in the order in which they were read. */
export function falseReceipts(history: History, run: number, pages: number): string[] {
  const receipts = only(history, 'receipt').flatMap(read => (read.run === run ? [read.receipt] : []))
  if (receipts.length === 0) return ['no receipt was readable']
  const last = receipts.slice(-1).filter(({ fetched }) => fetched !== pages)
  return [
    ...receipts.flatMap(wrongSums),
    ...receipts.slice(1).flatMap((receipt, n) => decreases(receipts[n] ?? receipt, receipt)),
    ...last.map(({ fetched }) => `that end with ${fetched} pages for ${pages}`),
  ]
}

/** Recomputes the sum from the reasons instead of trusting the totals. */
function wrongSums(receipt: Coverage): string[] {
  const { discovered, fetched, failed, skipped, duplicate, not_reached, pending, position } = receipt
  const { trap, ...reasons } = skipped.by_reason
  const ends = [failed.by_reason, reasons, trap, not_reached.by_limit].map(sumOf)
  const sum = ends.reduce((a, b) => a + b, fetched + duplicate + pending)
  const totals = [failed.total, skipped.total, not_reached.total].reduce((a, b) => a + b)
  const isRight = sum === discovered && totals === sum - fetched - duplicate - pending && receipt.holds
  return isRight ? [] : [`with the sum ${sum} instead of ${discovered} at position ${position}`]
}

/** The counts of a run only grow, whichever process reports them. */
function decreases(before: Coverage, after: Coverage): string[] {
  const isRight =
    after.position >= before.position &&
    after.discovered >= before.discovered &&
    after.fetched >= before.fetched
  return isRight ? [] : [`that go back from ${before.position} to ${after.position}`]
}

const sumOf = (counts: Record<string, number>): number => Object.values(counts).reduce((a, b) => a + b, 0)
