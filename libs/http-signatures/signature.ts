/**
 * Signs parts of an HTTP message (RFC 9421). The caller names the covered components with their values. The same
 * components, parameters and key always have the same signature.
 */
import type { SigningKey } from './signing-key.ts'
import { bytesItem, type Parameters, parametersOf, stringItem } from './structured-fields.ts'

/** A covered component: a field in lower case, or a derived component such as `@authority`. */
export type Component = { name: string; parameters?: Parameters; value: string }

/** The members of the two fields for one signature, without their label. */
export type Signed = { input: string; signature: string }

/**
 * Returns the text to sign (section 2.5), and the member of `Signature-Input` that describes it.
 * @throws Error if a component is covered twice, or a value contains a line break or a character outside of ASCII
 */
export function signatureBase(
  components: readonly Component[],
  parameters: Parameters,
): { base: string; input: string } {
  const lines = new Map<string, string>()
  for (const { name, parameters = {}, value } of components) {
    const identifier = stringItem(name) + parametersOf(parameters)
    if (lines.has(identifier)) throw new Error(`${identifier} is covered twice`)
    if (!/^[\t\x20-\x7e]*$/.test(value)) throw new Error(`the value of ${identifier} cannot be signed`)
    lines.set(identifier, value)
  }
  const input = `(${[...lines.keys()].join(' ')})${parametersOf(parameters)}`
  const covered = [...lines].map(([identifier, value]) => `${identifier}: ${value}\n`)
  return { base: `${covered.join('')}"@signature-params": ${input}`, input }
}

/** Returns the signature of the components (section 3.1). @throws Error as `signatureBase` does */
export function signed(key: SigningKey, components: readonly Component[], parameters: Parameters): Signed {
  const { base, input } = signatureBase(components, parameters)
  return { input, signature: bytesItem(key.sign(base)) }
}
