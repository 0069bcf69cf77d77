/**
 * Compiles the schema of a response when it is first sent. Compiling all of them takes a tenth of the start of a
 * gateway, and most processes never send most of them.
 */
import { type SerializerFactory, SerializerSelector } from '@fastify/fast-json-stringify-compiler'

const factory = SerializerSelector()

export const serializersAtFirstUse: SerializerFactory = (schemas, options) => {
  const compile = factory(schemas, options)
  return route => {
    let serialize: ReturnType<typeof compile> | undefined
    return data => {
      serialize ??= compile(route)
      return serialize(data)
    }
  }
}
