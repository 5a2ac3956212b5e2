import { validate } from '../../adapters/schema/validate.ts';
import { simpleValidate } from '../stage/scripted/validator.ts';
import { registered } from './registered.ts';
import { validateContract } from './validate.contract.ts';

registered('validate port: ajv', validateContract(validate));
registered('validate port: the simple one', validateContract(simpleValidate));
