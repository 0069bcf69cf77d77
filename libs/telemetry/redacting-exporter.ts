/** Removes secrets from spans before they are exported, in all fields that instrumentations write. */
import type { Attributes } from '@opentelemetry/api'
import type { NodeSDKConfiguration } from '@opentelemetry/sdk-node'
import { withoutSecrets } from './redact.ts'

type Exporter = NonNullable<NodeSDKConfiguration['traceExporter']>
type Span = Parameters<Exporter['export']>[0][number]

/**
 * Maximum size of the cache of redacted texts. Most texts of spans repeat (statements, hosts, subjects), and
 * redaction costs more than the rest of the export.
 */
const maxKnown = 2_000
const known = new Map<string, string>()

function cleaned(text: string): string {
  const before = known.get(text)
  if (before !== undefined) return before
  const clean = withoutSecrets(text)
  if (known.size >= maxKnown) known.clear()
  known.set(text, clean)
  return clean
}

/** Returns an exporter that redacts spans and passes them on. Spans have ended, so they are changed in place. */
export function redacting(exporter: Exporter): Exporter {
  return {
    export(spans, done) {
      for (const span of spans) clean(span)
      exporter.export(spans, done)
    },
    shutdown: () => exporter.shutdown(),
    forceFlush: async () => exporter.forceFlush?.(),
  }
}

function clean(span: Span): void {
  cleanAttributes(span.attributes)
  for (const event of span.events) if (event.attributes) cleanAttributes(event.attributes)
  for (const link of span.links) if (link.attributes) cleanAttributes(link.attributes)
  if (span.status.message) span.status.message = cleaned(span.status.message)
}

function cleanAttributes(attributes: Attributes): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'string') attributes[name] = cleaned(value)
    else if (Array.isArray(value))
      attributes[name] = value.map(item => (typeof item === 'string' ? cleaned(item) : item)) as string[]
  }
}
