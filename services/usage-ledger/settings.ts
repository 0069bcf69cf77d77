/** Everything that can be set for usage-ledger. */
import { connections, databaseConnection } from '@tidemark/config/connections'
import { Type } from 'typebox'

export const Settings = Type.Object({ ...connections, ...databaseConnection })
