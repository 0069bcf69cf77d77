/** Simulates one run command by command, and checks its invariants after each. */
import type { RunEvent } from '@tidemark/contracts/run'
import { storedPages } from './any-command.scene.ts'
import { decide, type RunCommand } from './decide.ts'
import { evolve } from './evolve/evolve.ts'
import { nextCheck } from './orders.ts'
import { maxSettledPages } from './recheck.ts'
import { at, circumstances, lookAfter } from './run.examples.ts'
import { isKnown, type Run, unknown } from './run.ts'

type Check = (run: Run, story: Story) => void

const isTerminal = (status: Run['status']): boolean => !['unknown', 'queued', 'running'].includes(status)

/** A run checks its outstanding orders repeatedly until its maximum duration. Some runs need more than 300 checks. */
const maxLooks = 1_000

/** A run from its admission to its end, with all its events. */
export class Story {
  now = Date.parse(at)
  #id = 0
  run: Run
  readonly journal: { event: RunEvent; at: string }[] = []
  readonly #keepsPromises: Check

  /** @param keepsPromises throws if an active or just ended run violates an invariant */
  constructor(queued: RunEvent, keepsPromises: Check) {
    this.#keepsPromises = keepsPromises
    this.run = evolve(unknown, queued, at)
    this.journal.push({ event: structuredClone(queued), at })
  }

  send(command: RunCommand): void {
    const before = this.run.status
    const time = new Date(this.now).toISOString()
    const last = this.#id + maxSettledPages(this.run, command.type === 'SettlePages' ? command.outcomes : [])
    const stored = isKnown(this.run) && this.run.settings.fork ? { stored: storedPages } : {}
    const some = circumstances({ at: time, takeId: () => ++this.#id, ...stored })
    const { run, events } = decide(this.run, command, some)
    if (this.#id > last) throw new Error('takes more page ids than it reserves')
    this.journal.push(...events.map(event => ({ event: structuredClone(event), at: time })))
    this.run = run
    const isReopened = run.status === 'running' && command.type === 'ReopenRun' && before !== 'cancelled'
    if (isTerminal(before) && run.status !== before && run.status !== 'deleted' && !isReopened)
      throw new Error(`left ${before}`)
    this.#keepsPromises(run, this)
    if ('totals' in run && Object.values(run.totals).some(count => count < 0))
      throw new Error('a negative count')
  }

  /** Rebuilds the run from its events. */
  again(): Run {
    return this.journal.reduce<Run>((run, { event, at }) => evolve(run, event, at), unknown)
  }

  /** Simulates a run that receives no further outcomes: sends every check when it is due, until the run ends. */
  ends(): void {
    this.send({ type: 'ResumeRun' })
    const { runLimitMs } = circumstances()
    for (let look = 0; look < maxLooks && this.run.status === 'running'; look++) {
      this.now = Math.max(this.now, nextCheck(this.run, runLimitMs))
      this.send(lookAfter)
    }
    if (this.run.status === 'running') throw new Error('never ends')
  }
}
