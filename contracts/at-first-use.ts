/** Compiles schemas when they are first used: a process starts faster, and never uses most of those that it loads. */
import type { TSchema } from 'typebox'
import { Compile, type Validator } from 'typebox/compile'

type Compiled<Schema extends TSchema> = Validator<Record<never, never>, Schema>

/** Returns a function that returns the validator of the schema, and compiles it at its first call. */
export function compiledAtFirstUse<Schema extends TSchema>(schema: Schema): () => Compiled<Schema> {
  let validator: Compiled<Schema> | undefined
  return () => (validator ??= Compile(schema))
}
