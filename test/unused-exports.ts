/**
 * Functions and values that a file exports and nobody takes. Types are no matter: they belong to what is exported with
 * them. Nor are errors, by whose class whoever wants to may tell them, nor what is loaded by a name that is computed.
 */
import type { Source } from './architecture.ts'

const exported = /^export (?:async )?(?:function\*?|const|let|class) (\w+)(?: extends \w*Error\b)?/gm
const isError = / extends \w*Error$/
/** Loaded by the files that `computedImports` names. */
const loadedByName =
  /^services\/(?:[^/]+\/(?:service|database|egress-service)|[^/]+\/migrations\/.+|extractor\/domain\/scrapers\/[^/]+\/.+)\.ts$/

/** In sentences. A name is taken where it stands in another file that names this one. */
export function unusedExports(sources: readonly Source[]): string[] {
  const naming = new Map<string, string[]>()
  for (const { text } of sources)
    for (const [, base = ''] of text.matchAll(/\/([\w.-]+?)(?:\.ts)?['"]/g))
      naming.set(base, [...(naming.get(base) ?? []), text])
  return sources
    .filter(({ path }) => !loadedByName.test(path))
    .flatMap(({ path, text }) => {
      const base = path.slice(path.lastIndexOf('/') + 1, -'.ts'.length)
      const others = (naming.get(base) ?? []).filter(other => other !== text)
      return [...text.matchAll(exported)]
        .filter(([statement]) => !isError.test(statement))
        .filter(([, name]) => !others.some(other => new RegExp(`\\b${name}\\b`).test(other)))
        .map(([, name]) => `${path} exports ${name}, which nobody takes`)
    })
}
