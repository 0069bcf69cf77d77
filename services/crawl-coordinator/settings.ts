/** What crawl-coordinator can be told from outside. */
import { connections, databaseConnection } from '@tidemark/config/connections'
import { Type } from 'typebox'

export const Settings = Type.Object({
  ...connections,
  ...databaseConnection,
  ROBOTS_TOKEN: Type.String({
    default: 'tidemark',
    description: 'Product token whose group of a robots.txt is obeyed.',
  }),
})
