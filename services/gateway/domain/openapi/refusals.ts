/** Which refusals an operation may answer with: those of every operation of its kind, and its own. */
import type { ProblemCode, Reason } from '@tidemark/contracts/problems'
import type { Described } from './document.ts'
import type { Refusals } from './operation-words.ts'

export type Refused = { readonly code: ProblemCode; readonly reasons: readonly Reason[] }
type Kind = { readonly of: (operation: Described) => boolean; readonly refuses: Refusals }

const takes = (place: string) => (operation: Described) =>
  operation.parameters?.some(parameter => 'in' in parameter && parameter.in === place) ?? false

const kinds: readonly Kind[] = [
  {
    of: ({ requestBody }) => requestBody !== undefined,
    refuses: {
      invalid_input: ['bad_json', 'required', 'wrong_type', 'out_of_range'],
      payload_too_large: [],
      unsupported_media_type: [],
    },
  },
  { of: takes('query'), refuses: { invalid_input: ['wrong_type', 'out_of_range'] } },
  { of: takes('path'), refuses: { not_found: [] } },
  {
    of: ({ security }) => security !== undefined,
    refuses: { unauthorized: [], too_many_requests: ['request_rate'], unavailable: [] },
  },
  { of: () => true, refuses: { internal: [] } },
]

/** Each code once, with all its reasons. */
export function refusalsOf(operation: Described, own: Refusals = {}): Refused[] {
  const all = new Map<ProblemCode, Set<Reason>>()
  const sources = [...kinds.filter(kind => kind.of(operation)).map(({ refuses }) => refuses), own]
  for (const refusals of sources) {
    for (const [code, reasons = []] of Object.entries(refusals) as [ProblemCode, readonly Reason[]][]) {
      const known = all.get(code) ?? new Set<Reason>()
      for (const reason of reasons) known.add(reason)
      all.set(code, known)
    }
  }
  return [...all].map(([code, reasons]) => ({ code, reasons: [...reasons] }))
}
