/**
 * Functions and values that are exported although no other file imports them. Types are excepted, because they belong
 * to the exports that use them. Errors are excepted, because callers may check for their class, and so are modules that
 * are loaded by a computed name.
 */
import type { Source } from './architecture.ts'

const exported = /^export (?:async )?(?:function\*?|const|let|class) (\w+)(?: extends \w*Error\b)?/gm
const isError = / extends \w*Error$/
/** Loaded by the files that `computedImports` names. */
const loadedByName =
  /^services\/(?:[^/]+\/(?:service|database|egress-service)|extractor\/domain\/scrapers\/[^/]+\/.+)\.ts$/

/**
 * Returns a sentence for each unused export. An export counts as used if its name stands in another file that names
 * this one.
 */
export function unusedExports(sources: readonly Source[]): string[] {
  const naming = new Map<string, string[]>()
  for (const { text } of sources)
    for (const [, base = ''] of text.matchAll(/\/([\w.-]+?)(?:\.tsx?)?['"]/g))
      naming.set(base, [...(naming.get(base) ?? []), text])
  return sources
    .filter(({ path }) => !loadedByName.test(path))
    .flatMap(({ path, text }) => {
      const base = path.slice(path.lastIndexOf('/') + 1).replace(/\.tsx?$/, '')
      const others = (naming.get(base) ?? []).filter(other => other !== text)
      return [...text.matchAll(exported)]
        .filter(([statement]) => !isError.test(statement))
        .filter(([, name]) => !others.some(other => new RegExp(`\\b${name}\\b`).test(other)))
        .map(([, name]) => `${path} exports ${name}, which no other file imports`)
    })
}
