#!/usr/bin/env node
import './program.js';
