/** Formats the test of a decider as a specification: given these events, when this command, then these events. */

/** The part of tap that a decider's test uses. */
type Test = {
  test(name: string, body: (t: Test) => Promise<void>): unknown
  strictSame(found: unknown, wanted: unknown): unknown
}

type Decider<State, Command, Event> = {
  initial: () => State
  evolve: (state: State, event: Event) => State
  decide: (state: State, command: Command) => Event[]
}

type Example<Command, Event> = { given: Event[]; when: Command; then: Event[] }

export function specify<State, Command, Event>(t: Test, decider: Decider<State, Command, Event>) {
  return (behaviour: string, { given, when, then }: Example<Command, Event>) =>
    t.test(behaviour, async t => {
      const state = given.reduce(decider.evolve, decider.initial())
      t.strictSame(decider.decide(state, when), then)
    })
}
