/** Lets a decider's test read as its specification: given what happened, when asked, then this. */

/** What a decider's test needs of tap. */
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
