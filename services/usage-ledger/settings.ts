/** Defines the settings of usage-ledger. */
import { connections, databaseConnection } from '@tidemark/config/connections'
import { Type } from 'typebox'

export const Settings = Type.Object({ ...connections, ...databaseConnection })
