/** A run from its first event on, with a minute between its commands, for the tests of its budgets. */
import type { RunSettings } from '@tidemark/contracts/run-settings'
import type { Outcome } from '@tidemark/contracts/work/outcome'
import type { Circumstances } from '../circumstances.ts'
import type { RunCommand } from '../decide.ts'
import { driveRun, ordersIn } from '../driven-run.scene.ts'
import { lookAfter, page, queued, settle } from '../run.examples.ts'

export type Page = Extract<Outcome, { type: 'page' }>

export const answer = (path: string, some: Partial<Page> = {}): Outcome => ({
  ...(page(path) as Page),
  ...some,
})

/** Returns a page with links. */
export const linking = (path: string, ...to: string[]): Outcome => page(path, to)

export function running(some: Partial<RunSettings>, allowed: Partial<Circumstances> = {}) {
  const run = driveRun(queued(some))
  /** Returns the orders that the command sends, such as `/a 1`. */
  const send = (command: RunCommand): string[] => ordersIn(run.send(command, allowed))
  return {
    ...run,
    send,
    look: () => send(lookAfter),
    receive: (...outcomes: Outcome[]) => send(settle(...outcomes)),
  }
}
