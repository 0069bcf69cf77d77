/**
 * The body of `POST /v1/crawls/{id}/fork`: the settings that differ from those of the forked crawl. It has no defaults,
 * because a field that is left out keeps the value of that crawl.
 */
import { type Static, type TSchema, Type } from 'typebox'
import { orNull } from '../primitives.ts'
import { CrawlRequest } from './crawl-request.ts'

const { properties } = CrawlRequest

/** Returns the schema of a field of a crawl without its default. */
function kept<Schema extends TSchema>(schema: Schema): Schema {
  const { default: _, ...rest } = schema as Schema & { default?: unknown }
  return rest as unknown as Schema
}

/** Returns such a schema that also accepts null, which removes the field. The description moves to the whole field. */
function removable<Schema extends TSchema>(schema: Schema) {
  const { description, ...rest } = kept(schema) as Schema & { description?: string }
  return Type.Unsafe<Static<Schema> | null>({
    ...orNull(rest as unknown as TSchema),
    description: `${description} null: none.`,
  })
}

export const ForkRequest = Type.Object(
  {
    max_pages: Type.Optional(kept(properties.max_pages)),
    max_cost_usd: Type.Optional(removable(properties.max_cost_usd)),
    max_bytes: Type.Optional(removable(properties.max_bytes)),
    depth: Type.Optional(kept(properties.depth)),
    concurrency: Type.Optional(removable(properties.concurrency)),
    delay_ms: Type.Optional(kept(properties.delay_ms)),
    subdomains: Type.Optional(kept(properties.subdomains)),
    urls: Type.Optional(kept(properties.urls)),
    follow_links: Type.Optional(kept(properties.follow_links)),
    include_paths: Type.Optional(kept(properties.include_paths)),
    exclude_paths: Type.Optional(kept(properties.exclude_paths)),
    trap_guards: Type.Optional(kept(properties.trap_guards)),
    ignore_selectors: Type.Optional(kept(properties.ignore_selectors)),
    only_selectors: Type.Optional(kept(properties.only_selectors)),
    ignore_text: Type.Optional(kept(properties.ignore_text)),
    min_changed_words: Type.Optional(removable(properties.min_changed_words)),
    webhook_url: Type.Optional(removable(properties.webhook_url)),
    webhook_events: Type.Optional(kept(properties.webhook_events)),
  },
  { $id: 'ForkRequest' },
)
export type ForkRequest = Static<typeof ForkRequest>
