/** The facts of a page at once, for tests without concurrent work. */
import { type Facts, factsOf as factsInSteps } from './facts.ts'

export function factsOf(...page: Parameters<typeof factsInSteps>): Facts {
  const steps = factsInSteps(...page)
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}
