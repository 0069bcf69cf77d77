/** Everything that can be set for scheduler. */
import { connections, databaseConnection } from '@tidemark/config/connections'
import { Type } from 'typebox'

export const Settings = Type.Object({ ...connections, ...databaseConnection })
