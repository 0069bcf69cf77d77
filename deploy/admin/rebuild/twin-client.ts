/**
 * Redirects the statements of a projection to the twins of its tables. Statements name every table with its schema, so
 * replacing the schema suffices. Other tables are not redirected.
 */
import type { Client } from '../open-instance.ts'
import type { Twins } from './twin-tables.ts'

export function onTwins(client: Client, { schema, tables, twinSchema }: Twins): Client {
  const named = new RegExp(String.raw`\b${schema}\.(${tables.join('|')})\b`, 'g')
  const redirected = (text: string) => text.replace(named, `"${twinSchema}".$1`)
  const query = (statement: string | { text: string; name?: string }, values?: unknown[]) =>
    typeof statement === 'string'
      ? client.query(redirected(statement), values)
      : // Under a name of its own, because prepared statements are cached by name.
        client.query({
          ...statement,
          text: redirected(statement.text),
          ...(statement.name && { name: `${statement.name} beside` }),
        })
  return new Proxy(client, {
    get: (target, key) => (key === 'query' ? query : Reflect.get(target, key, target)),
  })
}
