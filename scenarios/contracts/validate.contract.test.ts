import { validateAsk } from '../../adapters/index.ts';
import { simpleValidateAsk } from '../scripted/validator.ts';
import { registered } from './registered.ts';
import { validateContract } from './validate.contract.ts';

registered('validate port: ajv', validateContract(validateAsk));
registered('validate port: the simple one', validateContract(simpleValidateAsk));
