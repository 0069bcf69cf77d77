/** Declares the settings of scheduler. */
import { connections, databaseConnection } from '@tidemark/config/connections'
import { Type } from 'typebox'

export const Settings = Type.Object({ ...connections, ...databaseConnection })
