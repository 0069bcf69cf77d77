/** Lists the possible errors of an operation: those of every operation of its kind, and its own. */
import type { ProblemCode, Reason } from '@tidemark/contracts/problems'
import type { Refusals } from '../../../reference/domain/operation-words.ts'
import type { Described, Parameter } from './document.ts'

export type Refused = { readonly code: ProblemCode; readonly reasons: readonly (Reason | null)[] }
type Kind = {
  readonly appliesTo: (operation: Described, method: string) => boolean
  readonly refuses: Refusals
}

const hasParameter =
  (location: string, matches: (parameter: Parameter) => boolean = () => true) =>
  ({ parameters = [] }: Described) =>
    parameters.some(parameter => 'in' in parameter && parameter.in === location && matches(parameter))

const kinds: readonly Kind[] = [
  {
    appliesTo: ({ requestBody }) => requestBody !== undefined,
    refuses: { invalid_input: ['required', 'wrong_type', 'out_of_range'] },
  },
  {
    // A body is read even if none is expected.
    appliesTo: (_, method) => method !== 'get',
    refuses: {
      invalid_input: ['bad_json', 'bad_value'],
      payload_too_large: [],
      unsupported_media_type: [],
    },
  },
  {
    appliesTo: hasParameter('query'),
    refuses: { invalid_input: ['wrong_type', 'out_of_range', 'bad_value'] },
  },
  {
    appliesTo: hasParameter('query', ({ required }) => required === true),
    refuses: { invalid_input: ['required'] },
  },
  { appliesTo: hasParameter('header'), refuses: { invalid_input: ['bad_value'] } },
  { appliesTo: hasParameter('path'), refuses: { not_found: [] } },
  {
    appliesTo: ({ security }) => security !== undefined,
    refuses: { unauthorized: [], too_many_requests: ['request_rate', 'unknown_keys'], unavailable: [] },
  },
  { appliesTo: () => true, refuses: { internal: [] } },
]

/**
 * Returns the errors of an operation.
 * @param method in lower case, as in the document
 */
export const refusalsOf = (operation: Described, method: string, own: Refusals = {}): Refused[] =>
  merged(
    [...kinds.filter(kind => kind.appliesTo(operation, method)).map(({ refuses }) => refuses), own].flatMap(
      listed,
    ),
  )

export const listed = (refusals: Refusals): Refused[] =>
  Object.entries(refusals).map(([code, reasons]) => ({ code: code as ProblemCode, reasons }))

/** Returns each code once, with all its reasons. */
export function merged(refused: readonly Refused[]): Refused[] {
  const all = new Map<ProblemCode, Set<Reason | null>>()
  for (const { code, reasons } of refused) {
    const known = all.get(code) ?? new Set<Reason | null>()
    for (const reason of reasons) known.add(reason)
    all.set(code, known)
  }
  return [...all].map(([code, reasons]) => ({ code, reasons: [...reasons] }))
}
